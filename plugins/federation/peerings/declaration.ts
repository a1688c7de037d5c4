import {
  canonicalJson,
  decodeBase64Url,
  foldName,
  PUBLIC_KEY_BYTES,
  type Violation,
} from '../../../kernel/internal-api.ts';
import { parseInstant, Refusals, SCOPES, type Scope, ServiceError } from '../../../kernel/plugin-api.ts';
import { DECLARATION_EXPIRED } from '../federation-words.ts';
import { type Declaration, DIRECTIONS, type Direction } from './peering.ts';

/** A declaration in the form in which it was received or signed. Its signature covers every other member. */
export type DeclarationDocument = Readonly<Record<string, string | readonly string[] | boolean | null>>;

/** An operator's request to declare this node to another one. */
export interface DeclareRequest {
  /** The id of the other node, or an address that serves its metadata. */
  readonly peer: string;
  /** The scopes to declare; by default only public. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly direction?: Direction | undefined;
  /** Whether the other node may end facts of third parties here; by default only if it may give facts of `company`. */
  readonly mayEndOthers?: boolean | undefined;
}

/** A well-formed declaration whose signature is not verified yet. */
export interface ReadDeclaration extends Declaration {
  readonly declaringNodeId: string;
  /** The id of the node that the declaration is for; null if another node's declaration names none. */
  readonly targetNodeId: string | null;
  readonly signature: string;
  readonly nodeUrl: string | null;
  /** The key that the declaring node claims, in base64url. */
  readonly publicKey: string | null;
  readonly document: DeclarationDocument;
}

/**
 * The maximum age of a declaration. An older one is refused, because it may be a stolen copy that somebody has held
 * back.
 */
export const DECLARATION_LIFE_MS = 86_400_000;
const MAX_LEAD_MS = 300_000;

/** Returns the signed bytes: the RFC 8785 form of all received members except the signature. */
export const signedBytes = (document: DeclarationDocument): Uint8Array => {
  const { declaration_sig: _, ...rest } = document;
  return Buffer.from(canonicalJson(rest));
};

/** Reads a declaration that fits the schema. Throws one refusal that lists every violation. */
export const readDeclaration = (
  document: DeclarationDocument,
  { selfId, nowMs }: { readonly selfId: string; readonly nowMs: number },
): ReadDeclaration => {
  const refusals = new Refusals();
  const names = ['declaring_node_id', 'node_id'].filter((name) => textOf(document, name) !== null);
  if (names.length !== 1) {
    const message = names.length === 0 ? 'is required' : 'must not be given together with node_id';
    refusals.add([at('declaring_node_id', message)]);
  }
  const declaringNodeId = textOf(document, names[0] ?? '') ?? '';
  const targetNodeId = textOf(document, 'target_node_id');
  refusals.add(targetViolations(declaringNodeId, targetNodeId, selfId));
  const nodeUrl = textOf(document, 'node_url');
  const read = {
    declaringNodeId,
    targetNodeId,
    scopes: refusals.attempt(() => readScopes(document)),
    direction: refusals.attempt(() => readDirection(document)),
    mayEndOthers: readMayEndOthers(document),
    ...refusals.attempt(() => readSignedAt(document, nowMs)),
    signature: textOf(document, 'declaration_sig') ?? '',
    nodeUrl: nodeUrl === null ? null : refusals.attempt(() => readNodeUrl(nodeUrl)),
    publicKey: textOf(document, 'federation_pubkey'),
    document,
  };
  if (decodeBase64Url(read.signature)?.length !== SIGNATURE_BYTES) {
    refusals.add([at('declaration_sig', `must be the base64url form of ${SIGNATURE_BYTES} bytes`)]);
  }
  if (read.publicKey !== null && decodeBase64Url(read.publicKey)?.length !== PUBLIC_KEY_BYTES) {
    refusals.add([at('federation_pubkey', `must be the base64url form of ${PUBLIC_KEY_BYTES} bytes`)]);
  }
  refusals.settle();
  return read;
};

/** Returns the grant of a document that passed `readDeclaration` before it was stored. */
export const declarationOf = (document: DeclarationDocument): Declaration => {
  const signedAt = textOf(document, 'signed_at') ?? '';
  return {
    scopes: readScopes(document),
    direction: readDirection(document),
    mayEndOthers: readMayEndOthers(document),
    signedAt,
    signedMs: parseInstant(signedAt) ?? 0,
  };
};

/** Returns the base address of a node without a final slash. Throws for an address that cannot be called. */
export const readNodeUrl = (text: string, path = 'body.node_url'): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}` === '';
  if (isBase && url.username === '' && url.password === '') return text.replace(/\/+$/, '');
  throw refusalAt(path, 'must be an absolute http or https address without user, query and fragment');
};

export const NODE_ID = /^[!-~]{1,256}$/;
const ELSEWHERE = /^(?:https?|ftps?|sftp|ssh|wss?|file|tcp|mailto):/i;

/** Returns whether a text can be the id of a node. An address of another protocol is none, because somebody erred. */
export const isNodeId = (text: string): boolean => NODE_ID.test(text) && !ELSEWHERE.test(text);

const HAS_PROTOCOL = /^[a-z][a-z0-9+.-]*:(?!\d)/i;

/** Returns whether an operator has probably left out the protocol of an address, as in `beta.example:8765`. */
export const isBareAddress = (text: string): boolean => {
  const url = `https://${text}`;
  if (HAS_PROTOCOL.test(text) || !URL.canParse(url)) return false;
  const { hostname, username } = new URL(url);
  return username === '' && (hostname === 'localhost' || /[.:]/.test(text.split('/')[0] as string));
};

/** Returns the default address of a node with this id; null if the id contains no host. */
export const urlOfNodeId = (nodeId: string): string | null => {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#@\\]+)/i.exec(nodeId)?.[1];
  const url = `https://${authority}`;
  return authority !== undefined && URL.canParse(url) ? url : null;
};

const SIGNATURE_BYTES = 64;

const targetViolations = (declaring: string, target: string | null, selfId: string): readonly Violation[] => {
  const isSelf = isSameNode(declaring, selfId);
  if (isSelf && declaring !== selfId) return [at('declaring_node_id', `must be spelt ${selfId}: it is this node`)];
  if (target !== null && isSameNode(target, declaring)) return [at('target_node_id', 'must not be the declaring node')];
  if (isSelf) return target === null ? [at('target_node_id', 'is required')] : [];
  if (target !== null && target !== selfId) return [at('target_node_id', 'must be this node')];
  return [];
};

/** Compares node ids as names are compared. */
const isSameNode = (one: string, other: string): boolean => foldName(one) === foldName(other);

const readScopes = (document: DeclarationDocument): readonly Scope[] => {
  const named = document['allowed_scopes'];
  if (!Array.isArray(named) || named.length === 0) return ['public'];
  const unknown = named.findIndex((name) => !isScope(name));
  if (unknown >= 0) throw refusalAt(`body.allowed_scopes[${unknown}]`, `must be one of ${SCOPES.join(', ')}`);
  return SCOPES.filter((scope) => named.includes(scope));
};

const isScope = (name: unknown): boolean => SCOPES.some((scope) => scope === name);

const readDirection = (document: DeclarationDocument): Direction => {
  const named = textOf(document, 'direction');
  if (named === null) return 'bidirectional';
  const known = DIRECTIONS.find((direction) => direction === named);
  if (known === undefined) throw refusalAt('body.direction', `must be one of ${DIRECTIONS.join(', ')}`);
  return known;
};

const readMayEndOthers = (document: DeclarationDocument): boolean | null => {
  const sent = Object.hasOwn(document, MAY_END_OTHERS) ? document[MAY_END_OTHERS] : null;
  return typeof sent === 'boolean' ? sent : null;
};

const MAY_END_OTHERS = 'may_end_others';

const readSignedAt = (document: DeclarationDocument, nowMs: number): Pick<Declaration, 'signedAt' | 'signedMs'> => {
  const signedAt = textOf(document, 'signed_at') ?? '';
  const signedMs = parseInstant(signedAt);
  if (signedMs === null) throw refusalAt('body.signed_at', 'must be an RFC 3339 date-time with an offset');
  if (nowMs - signedMs > DECLARATION_LIFE_MS) {
    throw refusalAt('body.signed_at', 'lies more than 24 hours back: sign the declaration again', true);
  }
  if (signedMs - nowMs > MAX_LEAD_MS) {
    throw refusalAt('body.signed_at', 'lies more than 300 seconds ahead: set the clock of the signing node', true);
  }
  return { signedAt, signedMs };
};

const textOf = (document: DeclarationDocument, name: string): string | null => {
  const value = Object.hasOwn(document, name) ? document[name] : null;
  return typeof value === 'string' ? value : null;
};

const at = (member: string, message: string): Violation => ({ path: `body.${member}`, message });

const refusalAt = (path: string, message: string, expired = false): ServiceError =>
  new ServiceError(expired ? DECLARATION_EXPIRED : 'validation', `${path} ${message}`, {
    violations: [{ path, message }],
  });
