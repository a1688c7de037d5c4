import { ServiceError } from '../../ports/service-error.ts';

/**
 * The identifiers that contain the service's own name, all derived from one configured value. No other code may spell
 * the name, so that the node can serve clients of another name unchanged.
 */
export interface ServiceNames {
  readonly name: string;
  /** The path of the node's metadata document. */
  readonly metadataPath: string;
  readonly headers: {
    readonly session: string;
    readonly verify: string;
    /** The name of the header that states how much of a list remains. */
    readonly remaining: string;
    readonly eventId: string;
  };
  /** Returns the name of a further header, `X-<Name>-<noun>`. */
  header(noun: string): string;
  /** The reserved prefix of meta-facts: the name and a colon. */
  readonly prefix: string;
  /** The scheme of entities: the name and `://`. Entities under it are ordinary, although they begin with `prefix`. */
  readonly scheme: string;
  /** Returns the reserved prefix of relations or entities for a noun, for example `meta('ttl')`. */
  meta(noun: string): string;
  /** The source of facts that the node itself writes. */
  readonly systemSource: string;
  nodeId(uuid: string): string;
  /** Returns the entity of meta-facts about a fact. */
  factEntity(factId: string): string;
  gardenUri(authority: string, slug: string): string;
  /** Returns the `type` of a problem document (RFC 9457). */
  problemType(code: string): string;
  /** The `kind` in the signed payload of a fact-chain checkpoint. */
  readonly chainCheckpointKind: string;
  /** Returns the `kind` of a signed document: the name, a dot and a noun. */
  documentKind(noun: string): string;
}

export const SERVICE_NAME_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;
export const DEFAULT_SERVICE_NAME = 'svc';

/** Creates the names. Throws `ServiceError('validation')` when the name does not match `SERVICE_NAME_PATTERN`. */
export const createServiceNames = (name: string): ServiceNames => {
  if (!SERVICE_NAME_PATTERN.test(name)) {
    throw new ServiceError('validation', `the service name must match ${SERVICE_NAME_PATTERN.source}`, {
      hint: 'choose 1 to 32 lower-case letters, digits and dashes, the first of them a letter',
    });
  }
  const prefix = `${name}:`;
  const scheme = `${name}://`;
  const headerName = name.charAt(0).toUpperCase() + name.slice(1);
  return Object.freeze({
    name,
    metadataPath: `/.well-known/${name}`,
    headers: Object.freeze({
      session: `${headerName}-Session`,
      verify: `${headerName}-Verify`,
      remaining: `${headerName}-Remaining`,
      eventId: `X-${headerName}-Event-Id`,
    }),
    header: (noun: string) => `X-${headerName}-${noun}`,
    prefix,
    scheme,
    meta: (noun: string) => prefix + noun,
    systemSource: `system:${name}`,
    nodeId: (uuid: string) => `${prefix}node:${uuid}`,
    factEntity: (factId: string) => `${prefix}fact:${factId}`,
    gardenUri: (authority: string, slug: string) => `${scheme}${authority}/garden/${slug}`,
    problemType: (code: string) => `urn:${name}:problem:${code}`,
    chainCheckpointKind: `${name}.fact_chain_checkpoint`,
    documentKind: (noun: string) => `${name}.${noun}`,
  });
};
