import { requestOf, statusOf } from '../flows/examples/example-row.ts';
import { EXAMPLE_ROWS } from '../flows/examples/example-rows.ts';
import { makeTombstone, subscribe } from '../flows/examples/prepare.ts';
import { RAW } from '../flows/examples/send-raw.ts';
import type { Stage } from '../flows/examples/stage.ts';
import type { KnownAnswer } from './recorded-stores.ts';

const FACTS = 300;
const PER_BATCH = 50;
const ENTITIES = 40;
/** The number of entities whose facts are compared member by member. */
const WHOLE = 8;
const SCOPES = ['local', 'team', 'company', 'public'];

/** The values of the facts, of every type. */
const VALUES = [
  (n: number) => ({ type: 'string', v: `value ${n}` }),
  (n: number) => ({ type: 'text', v: `Fact ${n} says where project Atlas stands: Überlingen, "quoted", 100 % 😀` }),
  (n: number) => ({ type: 'number', v: n / 8 }),
  (n: number) => ({ type: 'boolean', v: n % 4 === 0 }),
  (n: number) => ({ type: 'datetime', v: new Date(Date.UTC(2026, 0, 1 + (n % 300))).toISOString() }),
  (n: number) => ({ type: 'ref', v: entityOf(n + 1) }),
  () => ({ type: 'null', v: null }),
];

const entityOf = (n: number): string => `record:entity-${n % ENTITIES}`;

/**
 * Fills the store of a stage with every kind of object, through the public interface: the example of every route, and
 * facts of every type, of which some contradict each other. Returns the replies to requests about these facts.
 */
export const fillRecordedStore = async (stage: Stage): Promise<KnownAnswer[]> => {
  for (const row of EXAMPLE_ROWS) {
    const route = stage.routes.find(({ method, path }) => `${method} ${path}` === row.route);
    if (route?.example === undefined) throw new Error(`${row.route} has no example`);
    const overrides = (await row.prepare?.(stage)) ?? {};
    const { isStream } = row;
    const { status, text } = await RAW.send(
      stage,
      requestOf(route, route.example, { overrides, key: stage.key, isStream }),
    );
    if (status !== statusOf(route, route.example)) throw new Error(`${row.route}: ${status} ${text}`);
  }
  for (let first = 0; first < FACTS; first += PER_BATCH) {
    const facts = Array.from({ length: PER_BATCH }, (_, at) => factOf(first + at));
    await stage.ask('POST', '/v1/facts/batch', { body: facts });
  }
  const garden = { slug: 'recorded', name: 'Recorded', scope: 'team' };
  const { garden_id, id = garden_id } = await stage.ask('POST', '/v1/gardens', { body: garden });
  await stage.ask('POST', '/v1/facts', { body: { ...factOf(FACTS), scope: 'team', garden_id: id } });
  await subscribe(stage);
  const { id: tombstone, of: erased } = await makeTombstone(stage);
  await stage.ask('POST', `/v1/tombstones/${tombstone}/erase`, { body: { confirm: erased, dry_run: false } });
  return readAnswers(stage);
};

/** Facts of one entity contradict each other where the type of their values has one place of two. */
const factOf = (n: number) => ({
  entity: entityOf(n),
  relation: `memory:relation-${n % VALUES.length}`,
  value: VALUES[n % VALUES.length]?.(n),
  source: `agent:source-${n % 3}`,
  scope: SCOPES[n % SCOPES.length],
  confidence: 1 - (n % 5) / 10,
});

const readAnswers = async (stage: Stage): Promise<KnownAnswer[]> => {
  const paths = [
    ...Array.from({ length: WHOLE }, (_, n) => `/v1/facts?entity=${entityOf(n)}&limit=500`),
    '/v1/facts?entity=record:entity-0&include_contradicted=true&limit=500',
    '/v1/gardens/recorded',
    ...[0, 1, 2].map((n) => `/v1/facts?source=agent:source-${n}&limit=500&fields=id,value,contradicted`),
  ];
  const answers: KnownAnswer[] = [];
  for (const path of paths) answers.push({ path, body: await stage.ask('GET', path) });
  return answers;
};
