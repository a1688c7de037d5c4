import { objectRequiring } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  listOf,
  objectOf,
  orNull,
  type Reply,
  type Route,
  ServiceError,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { CodeSignIn } from '../oidc/oidc-api.ts';
import type { ConsoleFile, ConsoleFiles } from './console-files.ts';
import { CONSOLE_HEADERS, consolePage } from './console-page.ts';
import type { ContributedScreens } from './contributed-screens.ts';
import type { ConsoleSetup } from './read-setup.ts';

/** The name of a file changes with its content, so a cached copy never expires. */
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };
const NOT_KEPT = { 'Cache-Control': 'no-cache' };

type FileName = { readonly name: string };
const FILE_NAME = objectRequiring<FileName>(['name'], { name: { type: 'string', maxLength: 200 } });

const pageReply = async (files: ConsoleFiles, path: string): Promise<Reply> => ({
  status: 200,
  headers: { ...NOT_KEPT, ...CONSOLE_HEADERS },
  text: consolePage(await files.entry(), path),
  contentType: 'text/html; charset=utf-8',
});

const PAGES: readonly Pick<Route, 'path' | 'summary' | 'example'>[] = [
  { path: '/console', summary: 'The console, as people type its address', example: {} },
  { path: '/console/', summary: 'The console, as a page', example: {} },
  { path: '/console/*place', summary: 'The console, at one of its screens', example: { params: { place: 'facts' } } },
];

/** The page, at every address that is not a file: the application reads the address itself. */
export const pageRoutes = (files: ConsoleFiles): readonly Route[] =>
  PAGES.map((page) => ({
    ...page,
    method: 'GET',
    access: 'open',
    answers: { 200: { text: ['text/html'] } },
    handle: ({ path }) => pageReply(files, path),
  }));

/** `GET /console/files/{name}`: the files of the page, screens of plugins included. */
export const fileRoute = (files: ConsoleFiles, screens: () => Promise<ContributedScreens>): Route<FileName> => ({
  method: 'GET',
  path: '/console/files/:name',
  summary: 'A script or style sheet of the console',
  access: 'open',
  params: FILE_NAME,
  answers: { 200: { text: ['text/javascript', 'text/css'] } },
  example: { params: { name: 'main-N4ZALSPJ.js' } },
  headers: { 'Accept-Encoding': { summary: 'With `br` the file comes as it is stored' } },
  handle: async ({ params: { name }, header }) => {
    const file = (await files.file(name)) ?? (await screens()).file(name);
    if (file === undefined) throw new ServiceError('lookup', 'the console has no file of this name');
    return fileReply(file, header('accept-encoding'));
  },
});

const fileReply = async ({ brotli, plain, contentType }: ConsoleFile, accepted = ''): Promise<Reply> => {
  const headers = { ...FOR_EVER, ...CONSOLE_HEADERS };
  // In doubt the file is sent uncompressed; the server compresses it as it does every reply.
  if (brotli === undefined || !/(?:^|,)\s*br\s*(?:,|$)/i.test(accepted)) {
    return { status: 200, headers, bytes: await plain(), contentType };
  }
  const compressed = { ...headers, 'Content-Encoding': 'br', Vary: 'Accept-Encoding' };
  return { status: 200, headers: compressed, bytes: brotli, contentType };
};

const SETUP_JSON = objectOf({
  service: STRING_JSON,
  display_name: STRING_JSON,
  version: STRING_JSON,
  node_id: STRING_JSON,
  routes: listOf(STRING_JSON),
  screens: listOf(
    objectOf({
      name: STRING_JSON,
      title: STRING_JSON,
      permissions: listOf(STRING_JSON),
      script: STRING_JSON,
      style: orNull(STRING_JSON),
    }),
  ),
  asks_for_key: BOOLEAN_JSON,
  has_sign_in: BOOLEAN_JSON,
});

/** `GET /console/setup.json`: the routes and screens of this node, from which the application chooses its own. */
export const setupRoute = (read: () => Promise<ConsoleSetup>): Route => ({
  method: 'GET',
  path: '/console/setup.json',
  summary: 'What the console needs to know before anybody has signed in',
  access: 'open',
  answers: { 200: { json: SETUP_JSON } },
  example: {},
  handle: async () => ({ status: 200, headers: NOT_KEPT, body: await read() }),
});

const SIGN_IN_JSON = objectOf({
  sign_in: orNull(objectOf({ issuer: STRING_JSON, client_id: STRING_JSON, authorization_endpoint: STRING_JSON })),
});

/** `GET /console/sign-in.json`: the address of the identity provider. */
export const signInRoute = (signIn: CodeSignIn | undefined): Route => ({
  method: 'GET',
  path: '/console/sign-in.json',
  summary: 'Where people sign in by the identity provider of this node; null where they do not',
  access: 'open',
  answers: { 200: { json: SIGN_IN_JSON } },
  example: {},
  handle: async () => ({ status: 200, headers: NOT_KEPT, body: { sign_in: await placeOf(signIn) } }),
});

const placeOf = async (signIn: CodeSignIn | undefined): Promise<object | null> => {
  if (signIn?.isOffered !== true) return null;
  const { issuer, clientId, authorizationEndpoint } = await signIn.place();
  return { issuer, client_id: clientId, authorization_endpoint: authorizationEndpoint };
};
