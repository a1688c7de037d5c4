import { type EnteredGarden, refuseGarden } from '../../kernel/internal-api.ts';
import {
  type DraftBatch,
  type DraftItem,
  type Facts,
  type GardenAccess,
  memberRefusal,
  noteOf,
  type Principal,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { defineAssertionMember } from '../facts/facts-api.ts';
import { refuseGardenWrite } from './stored-garden-access.ts';

/** The member `garden_id` of assertions: the garden by URI, UUID or slug. */
export const GARDEN_ID = defineAssertionMember<string>('garden_id', {
  summary: 'garden that the fact is asserted in, by URI, id or slug',
  schema: { type: ['string', 'null'] },
  read(input, path) {
    if (typeof input === 'string' && input.trim() !== '') return input.trim();
    throw memberRefusal(path, 'must be the URI, id or slug of a garden');
  },
});

interface EntryParts {
  readonly facts: Facts;
  readonly access: GardenAccess;
  readonly names: ServiceNames;
}

/**
 * Resolves the gardens that drafts name. The storing transaction checks the right to write again. This early check only
 * ensures the documented order of refusals.
 */
export const enterGardens = ({ items, caller }: DraftBatch, parts: EntryParts): Promise<void> | undefined => {
  const naming = items.filter(({ notes }) => noteOf(notes, GARDEN_ID.note) !== undefined);
  return naming.length === 0 ? undefined : enterAll(naming, caller, parts);
};

const enterAll = (
  items: readonly DraftItem[],
  caller: Principal,
  { facts, access, names }: EntryParts,
): Promise<void> =>
  facts.read(caller, 'get', async ({ snapshot }) => {
    const entered = new Map<string, EnteredGarden | undefined>();
    for (const item of items) {
      const name = noteOf(item.notes, GARDEN_ID.note) ?? '';
      if (!entered.has(name)) entered.set(name, await access.enter(name, caller, snapshot));
      place(item, entered.get(name), names);
    }
  });

const place = (item: DraftItem, garden: EnteredGarden | undefined, names: ServiceNames): void => {
  const { caller, draft, keys, path } = item;
  if (garden === undefined) {
    item.reject(refuseGarden(caller), 'place');
    return;
  }
  // A time-to-live is stored in the garden of its fact, even if its writer names another garden.
  if (keys.relationKey === names.meta('ttl')) return;
  const refusal = refuseGardenWrite(garden, draft.scope, caller, path);
  if (refusal !== null) item.reject(refusal, 'place');
  else item.complete({ gardenId: garden.id });
};
