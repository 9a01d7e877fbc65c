/** The alerts and the dashboard of the documentation, as tests read them, and Prometheus' own judgement of them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { findProgram } from '../services/systemPrograms.mjs';

const documentPath = (name: string): string => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));

const rulesPath = documentPath('examples/prometheus/alerts.yaml');

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly severity: string;
  readonly summary: string;
  readonly runbook: string;
}

/** Returns the rules; each has one line for each of its members. */
export const readAlertRules = (): AlertRule[] =>
  readFileSync(rulesPath, 'utf8')
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((text) => {
      const member = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';
      return {
        alert: member(/^(\w+)$/m),
        expr: member(/^ +expr: (.+)$/m),
        severity: member(/severity: (\w+)/),
        summary: member(/^ +summary: '?(.+?)'?$/m),
        runbook: member(/^ +runbook: (\S+)$/m),
      };
    });

/** Returns the headings of the second level of docs/alerts.md. */
export const readAlertHeadings = (): string[] =>
  [...readFileSync(documentPath('alerts.md'), 'utf8').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);

/** Returns the commands that docs/alerts.md gives under an alert's heading. */
export const readAlertCommands = (alert: string): string[] => {
  const text = readFileSync(documentPath('alerts.md'), 'utf8').split(`\n## ${alert}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/^```sh\n(.+?)^```$/gms)].flatMap(([, lines = '']) => lines.trimEnd().split('\n'));
};

/** Returns the expressions of all panels of the dashboard. */
export const readDashboardExpressions = (): string[] => {
  const { panels } = JSON.parse(readFileSync(documentPath('examples/grafana/console.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
};

const runPromtool = async (args: readonly string[]): Promise<string> => {
  const { command, env } = await findProgram('promtool');
  const { code, output } = await runProcess([command, ...args], { env: { ...process.env, ...env } });
  if (code !== 0) throw new Error(output);
  return output;
};

/** Calls `use` with the path of a file that has the value as JSON, which is YAML too. */
const withFile = async <T>(value: object, use: (path: string) => Promise<T>): Promise<T> => {
  const dir = mkdtempSync(join(tmpdir(), 'console-alerts-'));
  const path = join(dir, 'file.yaml');
  writeFileSync(path, JSON.stringify(value));
  try {
    return await use(path);
  } finally {
    rmSync(dir, { recursive: true });
  }
};

/** Returns what promtool says of the rules. Throws when it finds a mistake in them. */
export const checkAlertRules = (): Promise<string> => runPromtool(['check', 'rules', rulesPath]);

/** Returns what promtool says of the expressions. Throws when one is not PromQL; Grafana puts a time for its variable. */
export const checkExpressions = (expressions: readonly string[]): Promise<string> => {
  const rules = expressions.map((expr, i) => ({
    record: `panel:${String(i)}`.replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit))),
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }));
  return withFile({ groups: [{ name: 'dashboard', rules }] }, (path) => runPromtool(['check', 'rules', path]));
};

/** Samples a minute apart, in promtool's notation (`0+0x30`, `0+60x30`), by series. */
export type Series = Readonly<Record<string, string>>;

/** Throws unless of `alerts` just those of `firing` fire once the series have lasted for half an hour. */
export const expectFiring = async (
  series: Series,
  firing: readonly string[],
  alerts: readonly string[] = readAlertRules().map(({ alert }) => alert),
): Promise<void> => {
  const test = {
    rule_files: [rulesPath],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: alerts.map((alert) => ({
          expr: `count by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"} > 0) * 0 + 1`,
          eval_time: '30m',
          exp_samples: firing.includes(alert) ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
        })),
      },
    ],
  };
  await withFile(test, (path) => runPromtool(['test', 'rules', path]));
};
