import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Telemetry } from '../../kernel/plugin-api.ts';
import { projectRoot } from '../architecture/source-files.ts';
import { startTestNode } from '../kit/start-test-node.ts';

interface Panel {
  readonly type: string;
  readonly id: number;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(projectRoot(), 'docs/operations', name), 'utf8'));
const dashboard = read('grafana-dashboard.json') as { readonly panels: readonly Panel[] };
const { groups } = read('alert-rules.json') as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };

/** Returns the names of metrics in a query. */
const namesIn = (expr: string): string[] => expr.match(/\b(?:svc|process|nodejs)_[a-z0-9_]+/g) ?? [];

/** Returns the labels in a query, except those that Prometheus adds. */
const labelsIn = (expr: string): string[] =>
  [
    ...[...expr.matchAll(/([a-z_]+)(?:=~|=|!=)"/g)].map(([, label]) => label as string),
    ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/,\s*/)),
  ].filter((label) => !['instance', 'job', 'le', 'process'].includes(label));

describe('the files for Prometheus and Grafana', () => {
  const names = new Set<string>();
  const labels = new Set<string>();

  before(async () => {
    const node = await startTestNode();
    try {
      const key = await node.addKey({ permissions: ['admin', 'read', 'write'] });
      const value = { type: 'string', v: 'a lantern' };
      const fact = { entity: 'user:a', relation: 'memory:note', value, source: 'agent:a', scope: 'company' };
      expect((await node.request('POST', '/v1/facts', { key, body: fact })).status).to.equal(201);
      await node.request('POST', '/v1/recall', { key, body: { query: 'lantern', token_budget: 100 } });
      const { text } = await node.request('GET', '/v1/metrics', { key });
      for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
        names.add(name);
        if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`);
      }
      for (const { labels: own = [] } of node.kernel.get(Telemetry).instruments())
        for (const one of own) labels.add(one);
    } finally {
      await node.stop();
    }
  });

  it('query only metrics and labels that the node exposes', () => {
    const queries = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ];
    expect(queries.length).to.be.above(30);
    expect(queries.flatMap(namesIn).filter((name) => !names.has(name))).to.deep.equal([]);
    expect(queries.flatMap(labelsIn).filter((label) => !labels.has(label))).to.deep.equal([]);
    expect(queries.flatMap(namesIn).length).to.be.above(queries.length - 2);
  });

  it('have the format of Grafana and Prometheus', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const { type, targets = [] } of dashboard.panels) expect(type === 'row' || targets.length > 0).to.equal(true);
    const alerts = groups.flatMap(({ rules }) => rules);
    expect(new Set(alerts.map(({ alert }) => alert)).size).to.equal(alerts.length);
    for (const rule of alerts) {
      expect(rule.for, rule.alert).to.match(/^\d+[smh]$/);
      expect(rule.labels.severity, rule.alert).to.be.oneOf(['critical', 'warning', 'info']);
      expect(rule.annotations.summary, rule.alert).to.have.length.above(10);
      expect(rule.annotations.description, rule.alert).to.have.length.above(10);
      const opened = rule.expr.split('').reduce((sum, one) => sum + (one === '(' ? 1 : one === ')' ? -1 : 0), 0);
      expect(opened, rule.alert).to.equal(0);
    }
  });
});
