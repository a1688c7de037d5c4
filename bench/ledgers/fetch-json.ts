import type { ServerProcess } from '../processes/child-process.ts';

/** Returns the JSON answer of a node to a GET. Rejects for any status but 200. */
export const fetchJson = async <T>({ port, key }: Pick<ServerProcess, 'port' | 'key'>, path: string): Promise<T> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`GET ${path} was answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
};
