/** Alerts and dashboard read metrics that exist (docs/metrics.md has them all), and every alert is explained. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { readAlertHeadings, readAlertRules, readDashboardExpressions } from '../support/alerts.ts';

describe('law: alerts', () => {
  const known = (): Set<string> => {
    const table = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
    const ofNode = new Registry();
    collectDefaultMetrics({ register: ofNode });
    return new Set([
      // Prometheus' own: whether a process could be scraped.
      'up',
      ...ofNode.getMetricsAsArray().map(({ name }) => name),
      ...[...table.matchAll(/^\| `(\w+)` +\| (\w+)/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
      ),
    ]);
  };
  /** Returns the names of metrics in an expression: what is followed by labels or stands alone, but no function or label. */
  const namesIn = (expression: string): string[] =>
    [
      ...expression
        .replaceAll(/\{[^}]*\}|"[^"]*"|\b(?:by|without|on) \([^)]*\)/g, '')
        .matchAll(/\b[a-z][a-z_]+\b(?!\s*\()/g),
    ]
      .map(([name]) => name)
      .filter((name) => !['by', 'and', 'or', 'unless'].includes(name));

  it('every metric of the alerts and the dashboard exists', () => {
    const expressions = [...readAlertRules().map(({ expr }) => expr), ...readDashboardExpressions()];
    expect(expressions).to.have.length.above(40);
    const names = known();
    for (const expression of expressions) {
      // Ranges are no names.
      const used = namesIn(expression.replaceAll(/\[[^\]]*\]/g, ''));
      expect(used, `${expression} reads nothing`).to.have.length.above(0);
      for (const name of used) expect(names, expression).to.include(name);
    }
  });

  it('every alert has its heading in docs/alerts.md, and every heading its alert', () => {
    const rules = readAlertRules();
    expect(readAlertHeadings()).to.deep.equal(rules.map(({ alert }) => alert));
    for (const { alert, severity, summary, runbook } of rules) {
      expect(severity, alert).to.be.oneOf(['critical', 'warning']);
      expect(summary, alert).to.match(/\.$/);
      expect(runbook).to.equal(`docs/alerts.md#${alert.toLowerCase()}`);
    }
  });
});
