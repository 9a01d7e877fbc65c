// What the {slots} of all templates may become; read by Filler only.

import type { Random } from '../random.ts';
import { paidPlans } from './names.ts';

type Slot = readonly string[] | ((random: Random) => string);

export const slots: Readonly<Record<string, Slot>> = {
  plan2: paidPlans.slice(1).map(({ name }) => name),
  few: (random) => String(random.int(2, 9)),
  n: (random) => String(random.pick([120, 250, 340, 500, 780, 1_000, 1_200, 2_400, 5_000, 10_000, 48_000])),
  percent: (random) => String(random.int(3, 99)),
  hour: (random) => `${String(random.int(6, 17)).padStart(2, '0')}:${random.pick(['00', '10', '15', '20', '30', '40', '45', '50'])}`,
  hex: (random) => random.hex(8),
  month: ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'],
  weekday: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
  status: ['401', '403', '500', '502', '503', '504'],
  language: ['German', 'French', 'Spanish', 'Polish', 'Japanese', 'Portuguese'],
  coupon: ['SPRING20', 'WELCOME10', 'TEAM15', 'NONPROFIT30', 'PARTNER25', 'SWITCH50'],
  idp: ['Okta', 'Entra ID', 'Google Workspace', 'OneLogin', 'Keycloak', 'JumpCloud'],
  browser: ['Chrome', 'Firefox', 'Safari', 'Edge', 'Safari on iPad', 'Firefox on Linux'],
  city: ['Berlin', 'Austin', 'São Paulo', 'Lyon', 'Kraków', 'Toronto', 'Osaka', 'Lagos', 'Leeds', 'Rotterdam', 'Malmö', 'Sydney'],
  region: ['eu-central', 'us-east', 'us-west', 'ap-south'],
  project: [
    'Website relaunch', 'Q3 forecast', 'Mobile app', 'Warehouse ops', 'Client portal', 'Data platform', 'Onboarding', 'Field service',
    'Ticket triage', 'Store rollout', 'Fundraising', 'Lab results', 'Fleet', 'Marketing site', 'Payments migration', 'Partner hub',
  ],
  report: ['Weekly revenue', 'Churn by cohort', 'Active seats', 'Pipeline', 'SLA report', 'Stock levels', 'Campaign funnel', 'Board summary', 'Error budget', 'Daily sign-ups'],
  feature: [
    'the audit log', 'SCIM provisioning', 'custom roles', 'scheduled reports', 'row-level permissions', 'the query editor', 'shared dashboards',
    'dark mode', 'alert rules', 'version history', 'the mobile app', 'bulk edit', 'private regions', 'embedded charts',
  ],
  integration: ['Slack', 'Microsoft Teams', 'Salesforce', 'HubSpot', 'Jira', 'GitHub', 'Google Sheets', 'Zapier', 'Notion', 'Zendesk', 'Snowflake', 'BigQuery'],
  endpoint: ['projects', 'invoices', 'members', 'events', 'dashboards', 'deployments', 'usage', 'seats', 'workspaces', 'exports'],
  event: ['invoice.paid', 'invoice.failed', 'member.invited', 'deploy.finished', 'export.ready', 'subscription.updated', 'alert.fired', 'seat.removed'],
  field: ['externalId', 'timezone', 'owner', 'costCenter', 'dueDate', 'labels', 'billingEmail', 'archived', 'locale', 'parentId'],
  scope: ['channels:history', 'repo:write', 'contacts.read', 'admin.directory', 'files.readwrite', 'offline_access'],
  file: ['contacts.csv', 'export-2.csv', 'inventory.xlsx', 'members.csv', 'q2_actuals.xlsx', 'leads_final.csv', 'products.json'],

  // errors
  property: ['plan', 'id', 'length', 'price', 'map', 'email', 'seats', 'currency', 'total', 'items', 'role', 'locale', 'createdAt', 'token', 'features', 'owner'],
  component: ['PlanCard', 'PriceTag', 'SeatCounter', 'MemberTable', 'ChartLegend', 'TrialBanner', 'CountrySelect'],
  fn: ['t.map', 'e.format', 'onSubmit', 'res.json', 'cart.total', 'session.get', 'callback', 'track', 'intl.format', 'store.commit'],
  table: ['invoices', 'seats', 'sessions', 'usage_events', 'subscriptions', 'webhook_deliveries', 'exports', 'coupons', 'members', 'audit_log'],
  column: ['tax_id', 'external_id', 'renews_at', 'region', 'price_id', 'archived_at', 'idempotency_key', 'workspace_id'],
  host: ['payments.internal', 'redis-1', 'pg-primary', 'search-2.internal', 'mail-relay', 'tax.vendor.example', 'idp.vendor.example', 'blob-eu', 'kafka-3'],
  port: ['443', '5432', '6379', '8080', '9092', '9200', '587'],
  ms: ['1000', '2000', '3000', '5000', '10000', '15000', '30000'],
  queue: ['exports', 'mail', 'webhooks', 'usage-rollup', 'reindex', 'invoices', 'dunning', 'thumbnails'],
  size: ['128 MB', '256 MB', '512 MB', '1 GB', '2 GB'],
  token: ['<', 'u', '}', 'N', 'I'],
  currencyCode: ['CHF', 'SEK', 'PLN', 'BRL', 'INR', 'CZK'],
  region2: ['eu-central', 'us-east', 'ap-south'],
  chunk: (random) => `${random.int(12, 890)}`,
};
