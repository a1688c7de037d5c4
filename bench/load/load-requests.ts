import type { LoadPlan, RequestPlan } from './load-plan.ts';

/** The number of agreeing facts in a group. Each group has one more fact, which contradicts the first of them. */
const AGREEING = 50;
const GROUP = AGREEING + 1;

const SPREAD = 2_654_435_761;

/**
 * Maps each number below 2^32 to a different one, because the factor is odd. Entities in ascending order would grow
 * every B-tree only at its right edge, unlike any real load.
 */
const spread = (n: number): string => String(Math.imul(n, SPREAD) >>> 0).padStart(10, '0');

const fixed = (n: number): string => String(n).padStart(10, '0');

const assertion = (entity: string, relation: string, text: string): string =>
  `{"entity":"user:${entity}","relation":"memory:${relation}","value":{"type":"string","v":"${text} said that the answer is likely"},"source":"agent:load","confidence":0.9,"scope":"company"}`;

/** Returns an assertion. Every `1 / share`th one contradicts the assertion before it. */
const appendBody = (n: number, share: number, entities?: number): string => {
  const every = share > 0 ? Math.round(1 / share) : 0;
  const contradicts = every > 0 && n % every === every - 1;
  const about = contradicts ? n - 1 : n;
  if (entities === undefined) return assertion(spread(about), 'note', fixed(n));
  return assertion(spread(about % entities), `note-${Math.floor(about / entities)}`, fixed(n));
};

/** Returns the number of entities that have all of their facts after the first `facts` facts of the loader. */
export const loadedEntities = (facts: number, perEntity: number): number =>
  Math.floor(facts / GROUP) * (AGREEING / perEntity);

/**
 * Returns the `n`th fact of a loaded store. Entities fill up one after another, but not in the order of their names.
 */
const loaderFact = (n: number, perEntity: number): string => {
  const place = n % GROUP;
  const isContradiction = place === AGREEING;
  const first = Math.floor(n / GROUP) * (AGREEING / perEntity);
  const entity = isContradiction ? first : first + Math.floor(place / perEntity);
  const relation = isContradiction ? 0 : place % perEntity;
  return assertion(spread(entity), `note-${relation}`, fixed(n));
};

export const loaderEntity = (n: number): string => `user:${spread(n)}`;

const batchBody = (first: number, size: number, perEntity: number): string => {
  const items: string[] = [];
  for (let n = first; n < first + size; n += 1) items.push(loaderFact(n, perEntity));
  return `[${items.join(',')}]`;
};

/** Returns a function that makes complete HTTP requests, as text in which every character is one byte. */
export const requestMaker = (plan: Pick<LoadPlan, 'key' | 'requests'>): (() => string) => {
  const credential = `Host: 127.0.0.1\r\nAuthorization: Bearer ${plan.key}\r\n`;
  const post = (path: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\n${credential}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const make = nextOf(plan.requests);
  return () => {
    const { path, body } = make();
    return body === undefined ? `GET ${path} HTTP/1.1\r\n${credential}\r\n` : post(path, body);
  };
};

const nextOf = (plan: RequestPlan): (() => { path: string; body?: string }) => {
  let n = 'first' in plan ? plan.first : 0;
  if (plan.kind === 'append') {
    return () => ({ path: '/v1/facts', body: appendBody(n++, plan.contradicting, plan.entities) });
  }
  if (plan.kind === 'batch') {
    return () => {
      const body = batchBody(n, plan.size, plan.perEntity);
      n += plan.size;
      return { path: '/v1/facts/batch', body };
    };
  }
  if (plan.kind === 'read') return () => ({ path: plan.paths[n++ % plan.paths.length] ?? '/' });
  return () => {
    const entity = loaderEntity((n * 7919) % plan.entities);
    const limit = plan.firstLimit === undefined ? '' : `&limit=${plan.firstLimit + Math.floor(n / plan.entities)}`;
    n += 1;
    return { path: `${plan.path}?entity=${entity}${limit}` };
  };
};
