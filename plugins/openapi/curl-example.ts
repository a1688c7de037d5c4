import { shellQuote } from '../../kernel/command-api.ts';
import type { ApiDocument, ApiOperation, ApiParameter } from './api-document.ts';
import { FORM_TYPE } from './describe-operation.ts';
import { PEER_TOKEN } from './security-schemes.ts';

/**
 * The example of an operation as a command. The key comes from the variable `SVC_API_KEY`, the token of a peer from
 * `PEER_TOKEN`.
 */
export const curlExample = (
  document: Pick<ApiDocument, 'servers'>,
  method: string,
  path: string,
  { parameters = [], requestBody, security }: ApiOperation,
): string => {
  const shown = (place: ApiParameter['in']) =>
    parameters.filter((parameter) => parameter.in === place && 'example' in parameter);
  const filled = shown('path').reduce(
    (text, { name, example }) => text.replace(`{${name}}`, () => encodeURIComponent(String(example))),
    path,
  );
  const query = shown('query').map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  const url = `${document.servers[0]?.url ?? ''}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const named = Object.entries(requestBody?.content ?? {}).find(([, { example }]) => example !== undefined);
  const headers = [
    ...security.slice(0, 1).map((needed) => `-H "Authorization: Bearer $${variableOf(needed)}"`),
    ...shown('header').map(({ name, example }) => `-H ${shellQuote(`${name}: ${String(example)}`)}`),
  ];
  const body =
    named === undefined
      ? []
      : [`-H ${shellQuote(`Content-Type: ${named[0]}`)}`, `-d ${shellQuote(bodyText(...named))}`];
  const verb = method === 'get' ? [] : [`-X ${method.toUpperCase()}`];
  return [['curl', ...verb, shellQuote(url)].join(' '), ...headers, ...body].join(' \\\n  ');
};

const variableOf = (needed: ApiOperation['security'][number]): string =>
  Object.keys(PEER_TOKEN).some((scheme) => scheme in needed) ? 'PEER_TOKEN' : 'SVC_API_KEY';

const bodyText = (type: string, { example }: { readonly example?: unknown }): string => {
  if (type === FORM_TYPE) return new URLSearchParams(example as Record<string, string>).toString();
  return typeof example === 'string' ? example : JSON.stringify(example);
};
