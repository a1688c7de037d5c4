import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../../architecture/source-files.ts';
import { requestOf, statusOf } from './example-row.ts';
import { EXAMPLE_ROWS } from './example-rows.ts';
import { CLIENT } from './send-by-client.ts';
import { RAW, type Way } from './send-raw.ts';
import { type Stage, startStage } from './stage.ts';

/** The ways of sending an example, one per column of the table. */
const WAYS: readonly Way[] = [RAW, CLIENT];

describe('The example of every route', () => {
  let stage: Stage;
  /** The status by route and way of sending. */
  const table = new Map<string, Map<string, number>>();

  before(async function () {
    this.timeout(60_000);
    stage = await startStage();
  });

  after(async () => {
    await stage?.stop();
    const routes = EXAMPLE_ROWS.map(({ route }) => route);
    process.stdout.write(`\n${['route', ...WAYS.map(({ name }) => name)].join(' | ')}\n`);
    for (const route of routes.sort()) {
      const cells = WAYS.map(({ name }) => table.get(route)?.get(name) ?? 'missing');
      process.stdout.write(`${[route, ...cells].join(' | ')}\n`);
    }
  });

  it('exists, and has a row that says how to send it', () => {
    const names = stage.routes.map(({ method, path }) => `${method} ${path}`);
    const shown = stage.routes.filter(({ example }) => example !== undefined);
    expect(names.filter((name) => !shown.some(({ method, path }) => `${method} ${path}` === name))).to.deep.equal([]);
    expect(EXAMPLE_ROWS.map(({ route }) => route).sort()).to.deep.equal(names.sort());
  });

  it('belongs to a route that the client types include', () => {
    const types = readFileSync(join(projectRoot(), 'client/api-types.ts'), 'utf8');
    const names = EXAMPLE_ROWS.map(({ route }) => route.replace(/[:*]([a-z_]+)/g, '{$1}'));
    expect(names.filter((name) => !types.includes(`\n  '${name}': {`))).to.deep.equal([]);
  });

  for (const row of EXAMPLE_ROWS) {
    for (const way of WAYS) {
      it(`${row.route} is accepted (${way.name}), and the answer matches its declaration`, async () => {
        const route = stage.routes.find(({ method, path }) => `${method} ${path}` === row.route);
        if (route?.example === undefined) throw new Error('the route has no example');
        const overrides = (await row.prepare?.(stage)) ?? {};
        const { isStream } = row;
        const request = requestOf(route, route.example, { overrides, key: stage.key, isStream });
        const { status, text } = await way.send(stage, request);
        table.set(row.route, (table.get(row.route) ?? new Map()).set(way.name, status));
        expect(status, text.slice(0, 500)).to.equal(statusOf(route, route.example));
      });
    }
  }
});
