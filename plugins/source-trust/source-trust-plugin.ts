import { readFile } from 'node:fs/promises';
import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import { NodeSelf, optional, readAnnotate, ServiceError, VerifiedOrigins } from '../../kernel/plugin-api.ts';
import { createMarkTrust } from './mark-trust.ts';
import { SOURCE_TRUST } from './source-trust-api.ts';
import { readTrustRules } from './trust-rules.ts';

interface Settings {
  readonly rulesFile: string;
}

export const sourceTrustPlugin = defineOwnPlugin({
  name: 'source-trust',
  summary:
    'Says how far the speaker of a fact is trusted, by rules of the operator; does nothing without a file of rules',
  requires: { self: NodeSelf, origins: optional(VerifiedOrigins) },
  declares: [SOURCE_TRUST],
  config: objectSchema<Settings>({
    rulesFile: {
      type: 'string',
      default: '',
      env: 'SVC_TRUST_RULES_FILE',
      description:
        'JSON file with the trust in each source, such as {"default":0.5,"sources":{"agent:x":0.9}}; empty: off',
    },
  }),
  async setup({ config, use, on }) {
    if (config.rulesFile === '') return;
    const { names } = use.self;
    const trust = readTrustRules(await readRules(config.rulesFile), names);
    on(readAnnotate, createMarkTrust({ trust, names, origins: use.origins }), { cacheable: true });
  },
});

/** Reads the rules once. After a change the operator restarts the node, so that all processes use the same rules. */
const readRules = async (file: string): Promise<unknown> => {
  try {
    // Editors on Windows put a byte order mark before the text.
    return JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, '')) as unknown;
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new ServiceError('validation', `the file of trust rules ${reason}`, {
      hint: 'check SVC_TRUST_RULES_FILE; leave it empty to trust all sources alike',
      cause,
    });
  }
};
