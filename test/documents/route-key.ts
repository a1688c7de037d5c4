import type { DescribedRoute } from '../../kernel/internal-api.ts';

/** Returns the key of a route in the client, such as `GET /v1/facts/{id}`. */
export const keyOf = ({ method, path }: DescribedRoute): string => `${method} ${path.replaceAll(/[:*](\w+)/g, '{$1}')}`;
