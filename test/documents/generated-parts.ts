import { declaredSettings, settingRow } from '../../config/describe-settings.ts';
import { NodeDescription, Telemetry, Vocabulary } from '../../kernel/plugin-api.ts';
import { readSources } from '../architecture/source-files.ts';
import { startTestNode } from '../kit/start-test-node.ts';
import { CLIENT_TYPES, describeClientTypes } from './describe-client-types.ts';
import { describeCommands } from './describe-commands.ts';
import { describeHooks } from './describe-hooks.ts';
import { describeMetrics } from './describe-metrics.ts';
import { describePublicApi } from './describe-public-api.ts';
import { describePythonTypes, PYTHON_TYPES } from './describe-python-types.ts';
import { describeRoutes } from './describe-routes.ts';
import { describeErrors, describeWords } from './describe-words.ts';
import { tableHead } from './markdown-table.ts';

/** Generated texts that are committed. */
export interface Generated {
  /** The generated parts of pages in docs/reference, by the name of the part. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  /** Whole generated files, by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Settings that enable the routes that exist only with an identity provider. */
const WITH_ALL_ROUTES = {
  oauth: { enabled: true, insecure: true },
  oidc: { enabled: true, issuerUrl: 'https://login.example.com', audience: 'fact-memory', clientId: 'memory' },
};

export const generateReference = async (): Promise<Generated> => {
  const node = await startTestNode({ settings: WITH_ALL_ROUTES });
  try {
    const description = await node.kernel.get(NodeDescription).read();
    const { body: document } = await node.request('GET', '/openapi.json');
    const words = node.kernel.get(Vocabulary).all();
    const settings = (await declaredSettings()).map(settingRow);
    const parts = new Map([
      ['routes', describeRoutes(document)],
      ['settings', [...tableHead('setting', 'variable', 'default', 'accepts', 'meaning'), ...settings]],
      ['hooks', describeHooks(await readSources())],
      ['errors', describeErrors(words)],
      ['words', describeWords(words)],
      ['commands', await describeCommands()],
      ['interface', describePublicApi()],
      ['metrics', describeMetrics(node.kernel.get(Telemetry).instruments())],
    ]);
    const files = new Map([
      [CLIENT_TYPES, describeClientTypes(description)],
      [PYTHON_TYPES, describePythonTypes(description)],
    ]);
    return { parts, files };
  } finally {
    await node.stop();
  }
};

const PART = /(<!-- generated: (\w+) -->\n).*?(\n<!-- end of generated -->)/gs;

/** Returns the page with its generated parts updated. Throws for an unknown part. */
export const fillPage = (page: string, parts: ReadonlyMap<string, readonly string[]>): string =>
  page.replaceAll(PART, (_, begin: string, name: string, end: string) => {
    const lines = parts.get(name);
    if (lines === undefined) throw new Error(`no part is called ${name}`);
    return `${begin}\n${lines.join('\n').trim()}\n${end}`;
  });
