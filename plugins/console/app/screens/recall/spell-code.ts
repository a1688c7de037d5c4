import type { RecallBody } from './recall-settings.ts';

/** The authorisation header in copied code. It never contains the key; the reader's shell inserts it. */
const KEY = 'Authorization: Bearer $SVC_API_KEY';

/** A shell command. Its quoting leaves no character with a meaning for the shell. */
export const spellCurl = (origin: string, body: RecallBody, hasKey: boolean): string =>
  [
    `curl -X POST ${origin}/v1/recall`,
    ...(hasKey ? [`  -H "${KEY}"`] : []),
    "  -H 'Content-Type: application/json'",
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n');

/** TypeScript with the published client. */
export const spellClientCall = (origin: string, body: RecallBody): string =>
  `import { FactClient } from 'fact-memory-node/client';

// Reads the address and the key from SVC_URL and SVC_API_KEY.
const client = new FactClient(); // SVC_URL=${origin}
const reply = await client.recall(${JSON.stringify(body, undefined, 2)});
for (const { fact, score } of reply.facts) console.log(score, fact.entity, fact.relation, fact.value.v);
`;

/** Members that the tool `recall` takes. */
const TOOL_MEMBERS = [
  'query',
  'entity',
  'relation',
  'scope',
  'token_budget',
  'min_confidence',
  'include_contradicted',
  'after',
  'before',
] as const;

/** Fixed settings of the tool, which cannot express other values. */
const TOOL_FIXED: Readonly<Record<string, string>> = {
  weights: '{"lexical":0.3,"vector":0.5,"graph":0.2}',
  depth: '1',
  limit: '100',
  lambda_mmr: '0.7',
};

/** The message that a client of the Model Context Protocol sends. */
export const spellMcpCall = (body: RecallBody): string => {
  const { scope, ...others } = body;
  const given = { ...others, ...(scope !== 'global' && { scope }) } as Readonly<Record<string, unknown>>;
  const known = TOOL_MEMBERS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  const params = { name: 'recall', arguments: Object.fromEntries(known) };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, undefined, 2);
};

/** Settings that the tool cannot express. */
export const lostInMcp = (body: RecallBody): readonly string[] =>
  Object.entries(body)
    .filter(([name]) => !TOOL_MEMBERS.some((known) => known === name))
    .filter(([name, value]) => TOOL_FIXED[name] !== JSON.stringify(value))
    .map(([name]) => name);

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
