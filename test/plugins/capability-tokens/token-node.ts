import { type Principal, SCOPES } from '../../../kernel/plugin-api.ts';
import {
  type CapabilityNeed,
  type CapabilityTokens,
  CapabilityTokens as Tokens,
} from '../../../plugins/capability-tokens/capability-tokens-api.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';

export const PATH = '/v1/federation/capability-tokens';
export const ATLAS = 'svc://alpha.example/project/atlas';
export const DAY_MS = 86_400_000;

export interface TokenNode extends TestNode {
  /** The API key of `agent:ops`, with every permission that issuing a token needs. */
  readonly ops: string;
  /** The API key of `agent:me`, with the permissions read and write. */
  readonly mine: string;
  readonly tokens: CapabilityTokens;
  /** Issues a token as `agent:ops`, by default for `agent:me` to subscribe to `ATLAS`, and returns its text. */
  issue(request?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Returns the error of `verify`, by default for `agent:me` and a subscription to `ATLAS`. */
  refusal(text: string | undefined, need?: CapabilityNeed, caller?: Principal): Promise<string>;
}

export const holder = (entityUri = 'agent:me', tenantId = 'default'): Principal => ({
  kind: 'key',
  entityUri,
  permissions: new Set(['read', 'write']),
  allowedScopes: new Set(SCOPES),
  tenantId,
  keyId: 'k',
  oidcSub: null,
});

export const onEntity = (uri = ATLAS): CapabilityNeed => ({ verb: 'subscribe', target: { kind: 'entity', uri } });

/** Starts a node with the plugin capability-tokens and the plugins that it requires. */
export const startTokenNode = async (options: TestNodeOptions = {}): Promise<TokenNode> => {
  const node = await startTestNode({
    plugins: ['keys', 'multi-tenant', 'audit', 'node-info', 'capability-tokens'],
    ...options,
  });
  const ops = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'federate', 'admin'] });
  const mine = await node.addKey({ entityUri: 'agent:me' });
  const tokens = node.kernel.get(Tokens);
  return {
    ...node,
    ops,
    mine,
    tokens,
    issue: async (request = {}) => {
      const asked = { issuer: 'agent:ops', subject: 'agent:me', verb: 'subscribe', object: ATLAS, ...request };
      const { body, text } = await node.request('POST', PATH, { key: ops, body: asked });
      if (typeof body?.token_json !== 'string') throw new Error(text);
      return body.token_json;
    },
    refusal: (text, need = onEntity(), caller = holder()) =>
      tokens.verify(text, need, caller).then(
        () => 'none',
        (error: Error & { readonly code?: string }) => `${error.code}: ${error.message}`,
      ),
  };
};
