import type { Answers } from '../../kernel/internal-api.ts';
import {
  type JsonSchema,
  listOf,
  NO_BODY,
  objectOf,
  type Reply,
  type Route,
  type RouteHeader,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { KeptDocument } from './kept-document.ts';
import { PAGE_POLICY } from './page-frame.ts';

const IF_NONE_MATCH: Readonly<Record<string, RouteHeader>> = {
  'If-None-Match': { summary: 'The ETag of the copy that the client has' },
};

const TAGGED = { ETag: 'Changes with the document' };

/** Clients may cache the document, but must revalidate it at each use. */
const OPEN = { 'Cache-Control': 'no-cache' };
const PAGE = { ...OPEN, 'Content-Security-Policy': PAGE_POLICY };

/** OpenAPI itself specifies the form of the document. */
const OPENAPI_JSON: JsonSchema = {
  ...objectOf({
    openapi: STRING_JSON,
    info: { ...objectOf({ title: STRING_JSON, version: STRING_JSON }), additionalProperties: true },
    paths: { type: 'object' },
    components: { type: 'object' },
  }),
  additionalProperties: true,
};

/** `GET /openapi.json`, and the same document under `/v1` for clients that use only that path. */
export const documentRoute = (document: KeptDocument, place: 'open' | 'api'): Route => ({
  method: 'GET',
  path: place === 'open' ? '/openapi.json' : '/v1/openapi.json',
  summary: 'Describes every route of this node as OpenAPI 3.1',
  access: place === 'open' ? 'open' : { permission: 'any' },
  headers: IF_NONE_MATCH,
  answers: { 200: { json: OPENAPI_JSON, headers: TAGGED }, 304: { ...NO_BODY, headers: TAGGED } },
  example: {},
  handle: ({ header }) => document.reply(header('if-none-match'), place === 'open' ? OPEN : {}),
});

/** `GET /spec`: the same document as a page. */
export const referenceRoute = (page: KeptDocument): Route => ({
  method: 'GET',
  path: '/spec',
  summary: 'The API reference of this node, as a page',
  access: 'open',
  headers: IF_NONE_MATCH,
  answers: { 200: { text: ['text/html'], headers: TAGGED }, 304: { ...NO_BODY, headers: TAGGED } },
  example: {},
  handle: ({ header }) => page.reply(header('if-none-match'), PAGE),
});

const ENTRANCE_JSON = objectOf({
  name: STRING_JSON,
  version: STRING_JSON,
  links: listOf(objectOf({ href: STRING_JSON, title: STRING_JSON })),
});

const ENTRANCE_HEADERS = { ...TAGGED, Vary: 'The form depends on the header Accept' };

const ENTRANCE_ANSWERS: Answers = {
  200: { json: ENTRANCE_JSON, text: ['text/html'], headers: ENTRANCE_HEADERS },
  304: { ...NO_BODY, headers: ENTRANCE_HEADERS },
};

/** `GET /`: a page for clients that request HTML, and the same content as JSON for all others. */
export const entranceRoute = (forms: { readonly page: KeptDocument; readonly json: KeptDocument }): Route => ({
  method: 'GET',
  path: '/',
  summary: 'Name and version of this node, with links to its open documents',
  access: 'open',
  headers: IF_NONE_MATCH,
  answers: ENTRANCE_ANSWERS,
  example: {},
  handle({ header }): Promise<Reply> {
    const known = header('if-none-match');
    const isPage = acceptsPage(header('accept'));
    return (isPage ? forms.page : forms.json).reply(known, { ...(isPage ? PAGE : OPEN), Vary: 'Accept' });
  },
});

/** True only if the client names the type of a page: programs that accept any type get JSON. */
const acceptsPage = (accept = ''): boolean => ACCEPTS_PAGE.test(accept);

const ACCEPTS_PAGE = /(?:^|,)\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i;
