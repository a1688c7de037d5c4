/**
 * Returns the name of an operation in the API description, derived from its method and path: `GET /v1/facts` is
 * `listFacts`, `GET /v1/facts/:id` is `getFact`, `POST /v1/conflicts/*id/resolve` is `resolveConflict`. Accepts the
 * path syntax of routes and of the description (`{id}`). Documents outside `/v1` use `read`: `readHealthz`.
 */
export const operationIdOf = (method: string, path: string): string => {
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments[0] !== 'v1')
    return `${method === 'GET' ? 'read' : method.toLowerCase()}${subjectOf(segments) || 'Root'}`;
  const own = segments.slice(1);
  const last = own.at(-1) ?? '';
  const isOfItem = isParameter(own.at(-2) ?? '');
  if (method === 'POST' && isOfItem && !isParameter(last) && !isPlural(last)) return actionOf(own);
  return `${verbOf(method, last)}${subjectOf(own, method === 'POST')}`;
};

/** Returns unique names for several operations. If two names are equal, all but the first contain their whole path. */
export const operationIdsOf = (
  routes: readonly { readonly method: string; readonly path: string }[],
): readonly string[] => {
  const taken = new Set<string>();
  return routes.map(({ method, path }) => {
    const short = operationIdOf(method, path);
    const id = taken.has(short) ? `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}` : short;
    taken.add(id);
    return id;
  });
};

const verbOf = (method: string, last: string): string => {
  const isList = !isParameter(last) && isPlural(last);
  if (method === 'GET') return isList ? 'list' : 'get';
  if (method === 'POST') return isList ? 'create' : 'post';
  return method === 'PATCH' ? 'update' : method.toLowerCase();
};

/** The action on an item: `rotate-secret` of `subscriptions/:id` becomes `rotateSubscriptionSecret`. */
const actionOf = (segments: readonly string[]): string => {
  const [verb = '', ...rest] = wordsOf(segments.at(-1) ?? '');
  return `${verb}${subjectOf(segments.slice(0, -1))}${rest.map(capital).join('')}`;
};

/** Returns the literal segments as one name. A segment before a parameter, or of a new item, becomes singular. */
const subjectOf = (segments: readonly string[], makesOne = false): string =>
  segments
    .map((segment, at) => {
      if (isParameter(segment)) return '';
      const next = segments[at + 1];
      const isSingle = next === undefined ? makesOne : isParameter(next);
      return wordsOf(isSingle ? singular(segment) : segment)
        .map(capital)
        .join('');
    })
    .join('');

const isParameter = (segment: string): boolean => /^[:*{]/.test(segment);
const isPlural = (word: string): boolean => /[^sui]s$/.test(word);
const singular = (word: string): string => {
  if (!isPlural(word)) return word;
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.slice(0, -1);
};
const wordsOf = (segment: string): string[] => segment.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
