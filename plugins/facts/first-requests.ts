import { shellQuote } from '../../kernel/command-api.ts';

const FIRST_FACT = {
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO' },
  source: 'agent:me',
};

/** Returns two shell commands for a first start: one asserts a fact, the other finds it. They work in any folder. */
export const firstRequests = (base: string, curlOptions: string): readonly (readonly [string, string])[] => [
  [
    'Assert a fact',
    `curl -sS ${shellQuote(`${base}/v1/facts`)} ${curlOptions} -H 'Content-Type: application/json' -d '${JSON.stringify(FIRST_FACT)}'`,
  ],
  ['Find it', `curl -sS ${shellQuote(`${base}/v1/facts?entity=${FIRST_FACT.entity}`)} ${curlOptions}`],
];
