import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import { appendRead, NodeSelf, nodeMetadata, optional, SignatureWork } from '../../kernel/plugin-api.ts';
import { AgentKeys } from '../keys/keys-api.ts';
import { Attestations } from './attestation-api.ts';
import { ATTESTATION, noteOfAttestation } from './attestation-member.ts';
import * as words from './attestation-words.ts';
import { createJudgeSources } from './judge-sources.ts';
import { signCommand } from './sign-command.ts';
import { createVerifySignatures } from './verify-signatures.ts';

interface Settings {
  readonly mode: 'off' | 'warn' | 'enforce';
  readonly required: boolean;
}

export const attestationPlugin = defineOwnPlugin({
  name: 'attestation',
  summary: 'Checks that callers speak for the sources they name, and verifies the signatures of agents',
  requires: { self: NodeSelf, work: SignatureWork, agentKeys: optional(AgentKeys) },
  provides: [Attestations],
  commands: [signCommand],
  declares: [...Object.values(words), ATTESTATION],
  config: objectSchema<Settings>({
    mode: {
      type: 'string',
      enum: ['off', 'warn', 'enforce'],
      default: 'off',
      env: 'SVC_SOURCE_ATTESTATION_MODE',
      description: 'what becomes of an assertion whose source is not the entity of the key',
    },
    required: {
      type: 'boolean',
      default: false,
      env: 'SVC_ATTESTATION_REQUIRED',
      description: 'whether every assertion must carry the signature of an agent key',
    },
  }),
  setup({ config: { mode, required }, use: { self, work, agentKeys }, on, provide }) {
    provide(Attestations, { notesOf: noteOfAttestation });
    on(appendRead, createVerifySignatures({ agentKeys, work, isRequired: required }));
    on(nodeMetadata, () => ({ source_attestation: mode }));
    if (mode !== 'off') on(appendRead, createJudgeSources(mode, self.names));
  },
});
