import type { FactLink, Principal, StoredFact, WriteRecord } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';
import { appendLink } from './append-hooks.ts';
import { valueCommitment } from './value-commitment.ts';

/** The length of a salt in bytes. It has as much entropy as a UUID, so that it cannot be guessed. */
export const SALT_BYTES = 16;

export interface FactWriter {
  readonly caller: Principal;
  readonly tags: readonly string[];
}

/**
 * Returns the write record of each fact: its writer, the salt for its commitment, and its link in the chain. The facts
 * have stamps, are not stored yet, and belong to one tenant.
 */
export const recordsOf = async (
  facts: readonly StoredFact[],
  writers: readonly FactWriter[],
  transaction: PluginTransaction,
  { random, hooks }: { readonly random: Random; readonly hooks: HookCaller },
): Promise<WriteRecord[]> => {
  const salts = random.bytes(SALT_BYTES * facts.length);
  const saltOf = (at: number): Uint8Array => salts.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES);
  const commitments = facts.map(({ value }, at) => valueCommitment(saltOf(at), value));
  const links = await linksOf(facts, commitments, transaction, hooks);
  return writers.map(({ caller, tags }, at) => ({
    writer: caller.entityUri,
    writerSub: caller.oidcSub,
    writerKeyId: caller.keyId,
    tags,
    salt: saltOf(at),
    commitment: commitments[at] ?? null,
    link: links?.[at] ?? null,
  }));
};

const linksOf = async (
  facts: readonly StoredFact[],
  commitments: readonly Uint8Array[],
  transaction: PluginTransaction,
  hooks: HookCaller,
): Promise<readonly FactLink[] | undefined> => {
  const [first] = facts;
  if (first === undefined || !hooks.hasHandlers(appendLink)) return undefined;
  const { tenantId } = first;
  const [links, ...more] = await hooks.collect(appendLink, {
    facts: facts.map((fact, at) => ({ fact, commitment: commitments[at] as Uint8Array })),
    tenantId,
    head: await transaction.ledgerHead(tenantId),
    transaction,
  });
  if (more.length > 0) throw new Error('two handlers of append:link have linked the same facts');
  if (links !== undefined && links.length !== facts.length) throw new Error('append:link has a link for each fact');
  return links;
};
