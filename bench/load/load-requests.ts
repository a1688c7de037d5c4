import type { LoadPlan, RequestPlan } from './load-plan.ts';

/** The loader works in groups: fifty facts that agree, and one that contradicts the first of them. */
const AGREEING = 50;
const GROUP = AGREEING + 1;

const SPREAD = 2_654_435_761;

/**
 * Maps each number below 2^32 to another one of its own (the factor is odd). Entities in ascending order would let
 * every B-tree grow at its right edge alone, which no real load does.
 */
const spread = (n: number): string => String(Math.imul(n, SPREAD) >>> 0).padStart(10, '0');

const fixed = (n: number): string => String(n).padStart(10, '0');

const assertion = (entity: string, relation: string, text: string): string =>
  `{"entity":"user:${entity}","relation":"memory:${relation}","value":{"type":"string","v":"${text} said that the answer is likely"},"source":"agent:load","confidence":0.9,"scope":"company"}`;

/** Every `1 / share`th assertion gives another value to the triple of the one before it. */
const appendBody = (n: number, share: number): string => {
  const every = share > 0 ? Math.round(1 / share) : 0;
  const contradicts = every > 0 && n % every === every - 1;
  return assertion(spread(contradicts ? n - 1 : n), 'note', fixed(n));
};

/** Entities among the loader's first `facts` facts, all of them complete. */
export const loadedEntities = (facts: number, perEntity: number): number =>
  Math.floor(facts / GROUP) * (AGREEING / perEntity);

/**
 * The `n`th fact of a loaded store: entities fill up one after another, in an order that is not that of their names.
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

/** Makes complete requests, one after another, as text in which every character is one byte. */
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
  if (plan.kind === 'append') return () => ({ path: '/v1/facts', body: appendBody(n++, plan.contradicting) });
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
    n += 1;
    return { path: `${plan.path}?entity=${entity}` };
  };
};
