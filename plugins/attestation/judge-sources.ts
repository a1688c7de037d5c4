import {
  type DraftBatch,
  type DraftItem,
  noteOf,
  PeerSpeaker,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { principalKey } from '../keys/keys-api.ts';
import { KeepsSource } from './attestation-api.ts';
import { SOURCE_ATTESTATION_FAILED } from './attestation-words.ts';

/** The treatment of an assertion whose source is not the entity of the key. */
export type CheckingMode = 'enforce' | 'warn';

/**
 * Marks each draft by whether its source is the asserting entity; otherwise refuses it or warns. Compares names as
 * rights do. Marks facts of peers by whether the node that asserted them may use the source, but never refuses them,
 * because a node also relays facts of others. Skips drafts of the node itself.
 */
export const createJudgeSources =
  (mode: CheckingMode, names: ServiceNames) =>
  ({ items, caller }: DraftBatch): Promise<void> | undefined => {
    const callerKey = principalKey(caller.entityUri, names);
    const received: DraftItem[] = [];
    for (const item of items) {
      if (item.origin === 'peer') received.push(item);
      else if (item.byClient) judge(item, principalKey(item.draft.source, names) === callerKey, mode);
    }
    return received.length === 0 ? undefined : markReceived(received);
  };

const judge = (item: DraftItem, attested: boolean, mode: CheckingMode): void => {
  item.complete({ attested });
  if (attested || noteOf(item.notes, KeepsSource) !== undefined) return;
  if (mode === 'warn') item.warn(WARNING);
  else item.reject(refusalOf(item), 'source');
};

const WARNING = 'the source is not the entity of the key, so the fact is not attested';

const refusalOf = ({ path }: DraftItem): ServiceError =>
  new ServiceError(SOURCE_ATTESTATION_FAILED, 'the source is not the entity of the key', {
    hint: 'send the entity_uri that GET /v1/me shows as the source',
    violations: [{ path: `${path}.source`, message: 'must be the entity of the key' }],
  });

const markReceived = async (items: readonly DraftItem[]): Promise<void> => {
  for (const item of items) {
    const speaker = noteOf(item.notes, PeerSpeaker);
    item.complete({ attested: speaker !== undefined && (await speaker.speaksFor(item.draft.source)) });
  }
};
