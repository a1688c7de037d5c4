import { shellQuote } from './shell-quote.ts';

/** An address to connect to: a wildcard is where a node listens, not where it is. */
const reachable = (url: string): string => {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname === '0.0.0.0' || hostname === '[::]' ? '127.0.0.1' : hostname;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
};

const FIRST_FACT = {
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO' },
  source: 'agent:me',
};

/**
 * Two shell commands, one to assert a fact and one to find it, that work when pasted into a shell, whatever its folder.
 * The key stays in its file: it is named, not spelled.
 */
export const firstRequests = (baseUrl: string, keyFile: string): { assert: string; query: string } => {
  const base = reachable(baseUrl);
  const credential = `-H "Authorization: Bearer $(cat ${shellQuote(keyFile)})"`;
  return {
    assert: `curl -sS ${shellQuote(`${base}/v1/facts`)} ${credential} -H 'Content-Type: application/json' -d '${JSON.stringify(FIRST_FACT)}'`,
    query: `curl -sS ${shellQuote(`${base}/v1/facts?entity=${FIRST_FACT.entity}`)} ${credential}`,
  };
};
