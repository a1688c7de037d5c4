import { type AppendBatch, type AppendItem, noteOf, type ServiceError } from '../../kernel/plugin-api.ts';
import { ClientAssertion } from './client-assertion.ts';
import { SumsUp } from './facts-api.ts';
import type { SessionGuard } from './session-guard.ts';
import { requireSignature } from './verify-signature.ts';

interface CheckParts {
  readonly attestationRequired: boolean;
  /** Absent while the session guard is off. */
  readonly sessionGuard: Pick<SessionGuard, 'check'> | undefined;
}

/**
 * Holds what clients assert by way of other plugins, such as resolutions and promotions, to the settings that the
 * routes of this plugin hold their assertions to. Those have passed already.
 */
export const checkOtherAssertions = (batch: AppendBatch, parts: CheckParts): Promise<undefined> | undefined => {
  const others = batch.items.filter(
    ({ open, origin, caller, notes }) =>
      open && origin === 'client' && caller.kind !== 'node' && noteOf(notes, ClientAssertion) === undefined,
  );
  return others.length === 0 ? undefined : checkAll(others, batch, parts);
};

const checkAll = async (items: readonly AppendItem[], batch: AppendBatch, parts: CheckParts): Promise<undefined> => {
  for (const item of items) {
    const refusal = refuseUnsigned(item, parts) ?? (await refuseEcho(item, batch, parts));
    if (refusal !== null) item.reject(refusal);
  }
  return undefined;
};

/**
 * The route has verified the signature before it put the id of the key into the draft, because that takes too long for
 * a transaction.
 */
const refuseUnsigned = ({ fact }: AppendItem, { attestationRequired }: CheckParts): ServiceError | null =>
  attestationRequired && fact.attestedKeyId === null ? requireSignature('body.attestation') : null;

const refuseEcho = async (
  { fact, caller, notes }: AppendItem,
  { transaction }: AppendBatch,
  { sessionGuard }: CheckParts,
): Promise<ServiceError | null> => {
  if (sessionGuard === undefined) return null;
  const { sessionId, scope, derivedFrom } = fact;
  const derivations = derivedFrom.map((hash) => ({ hash }));
  const isSummary = noteOf(notes, SumsUp) !== undefined;
  return sessionGuard.check({ sessionId, scope, isSummary, derivations }, caller, transaction);
};
