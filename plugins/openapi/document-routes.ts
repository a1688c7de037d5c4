import {
  type JsonSchema,
  NO_BODY,
  objectOf,
  type Route,
  type RouteHeader,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { KeptDocument } from './kept-document.ts';

const IF_NONE_MATCH: Readonly<Record<string, RouteHeader>> = {
  'If-None-Match': { summary: 'The ETag of the copy that the client has' },
};

const TAGGED = { ETag: 'Changes with the document' };

/** The document itself is described by its own specification. */
const OPENAPI_JSON: JsonSchema = {
  ...objectOf({
    openapi: STRING_JSON,
    info: { ...objectOf({ title: STRING_JSON, version: STRING_JSON }), additionalProperties: true },
    paths: { type: 'object' },
    components: { type: 'object' },
  }),
  additionalProperties: true,
};

/** `GET /openapi.json`, and under `/v1` the same for clients that know nothing outside it. */
export const documentRoute = (document: KeptDocument, place: 'open' | 'api'): Route => ({
  method: 'GET',
  path: place === 'open' ? '/openapi.json' : '/v1/openapi.json',
  summary: 'Describes every route of this node as OpenAPI 3.1',
  access: place === 'open' ? 'open' : { permission: 'any' },
  headers: IF_NONE_MATCH,
  answers: { 200: { json: OPENAPI_JSON, headers: TAGGED }, 304: { ...NO_BODY, headers: TAGGED } },
  example: {},
  handle: ({ header }) => document.reply(header('if-none-match')),
});
