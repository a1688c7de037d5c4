import { expect } from 'chai';
import { readSources } from './source-files.ts';

/** The files that may change case by themselves, by the kind of text that they change. */
const NO_NAMES: Readonly<Record<string, readonly string[]>> = {
  'ASCII alone, where lower case is the same everywhere': ['kernel/text/fold-name.ts'],
  'words of the command line': ['adapters/cli/forgiving-command.ts'],
  'hosts and addresses': [
    'adapters/koa/allowed-origins.ts',
    'adapters/koa/denied-addresses.ts',
    'kernel/http/foreign-page.ts',
    'kernel/net/loopback-host.ts',
    'plugins/connect/hooks/project.ts',
    'plugins/oidc/grant-rights.ts',
  ],
  'fields and codings of HTTP': [
    'adapters/cli/command-server.ts',
    'adapters/koa/accepted-coding.ts',
    'adapters/koa/koa-request.ts',
    'adapters/koa/koa-transport.ts',
    'adapters/koa/send-request.ts',
    'client/verify-webhook.ts',
    'kernel/http/compile-route.ts',
    'kernel/http/handler-request.ts',
    'kernel/http/local-requests.ts',
    'kernel/http/read-json-body.ts',
    'plugins/facts/read-session.ts',
    'plugins/importers/local-server.ts',
    'plugins/federation/pulling/fetch-page.ts',
    'plugins/mcp/http-face.ts',
    'plugins/openapi/create-document.ts',
    'plugins/openapi/operation-id.ts',
    'plugins/openapi/reference-page.ts',
    'plugins/openapi/security-schemes.ts',
    'plugins/recall/create-recall.ts',
    'plugins/recall/recall-routes.ts',
    'plugins/subscriptions/subscription-routes.ts',
    'plugins/tombstones/federation/serve-tombstones.ts',
  ],
  'hexadecimal digits': [
    'client/frameworks/fact-names.ts',
    'plugins/conflicts/resolve-conflict.ts',
    'plugins/facts/fact-reference.ts',
    'plugins/facts/read-derivations.ts',
    'plugins/instructions/read-manifest.ts',
  ],
  'words of a language or of a program': [
    'adapters/cli/plugin-commands.ts',
    'adapters/sqlite/sqlite-schema.ts',
    'kernel/http/text-converter.ts',
    'kernel/plugins/environment-value.ts',
    'kernel/text/closest-name.ts',
    'plugins/connect/confirm-plans.ts',
    'plugins/importers/csv-format.ts',
    'plugins/mcp/spelled-arguments.ts',
    'plugins/mcp/tools/sent-value.ts',
  ],
  'words to search for': [
    'adapters/embedder/words-of-text.ts',
    'plugins/connect/hooks/fact-relevance.ts',
    'plugins/connect/hooks/harness-text.ts',
    'plugins/connect/hooks/secret-labels.ts',
    'plugins/recall/fact-text.ts',
    'plugins/recall/text-signature.ts',
    'plugins/recall/time-words/read-times.ts',
    'plugins/search/words/languages/fold-letters.ts',
    'plugins/search/words/query-forms.ts',
    'plugins/search/words/query-terms.ts',
    'plugins/search/words/spellings.ts',
    'plugins/search/words/term-reader.ts',
  ],
  'the beginning of a new name, which the node compares by its match key': [
    'plugins/connect/client-key.ts',
    'plugins/oauth/oauth-grants.ts',
  ],
  'what a browser shows, while the node decides': [
    'plugins/console/app/kit/matches-words.ts',
    'plugins/console/app/screens/facts/changeable.ts',
  ],
};

const CHANGES_CASE = /\.to(?:Locale)?LowerCase\(/;

describe('names in any spelling', () => {
  it('are compared by foldName and matchKey alone', async () => {
    const sources = await readSources();
    const changing = sources.filter(({ path, text }) => !/^(?:bench|test)\//.test(path) && CHANGES_CASE.test(text));
    expect(changing.map(({ path }) => path).sort()).to.deep.equal(Object.values(NO_NAMES).flat().sort());
  });
});
