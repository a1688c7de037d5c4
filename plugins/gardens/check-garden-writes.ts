import { refuseGarden } from '../../kernel/internal-api.ts';
import type {
  AppendItem,
  AuthoriseBatch,
  ReadableTables,
  RefusableItem,
  ServiceError,
  ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { Garden, Role } from './garden-row.ts';
import { gardensById, rolesOf } from './garden-store.ts';
import { entered, refuseGardenWrite } from './stored-garden-access.ts';

/**
 * Refuses a client's assertions into gardens that it may not write to, by the memberships that the storing transaction
 * sees. System facts are in the garden of the fact that they describe. Reads nothing if no fact names a garden.
 */
export const checkGardenWrites = (
  { items }: AuthoriseBatch,
  own: ReadableTables,
  names: ServiceNames,
): Promise<undefined> | undefined => {
  const inGardens = items.filter((item) => item.open && item.origin === 'client' && item.fact.gardenId !== null);
  return inGardens.length === 0 ? undefined : checkAll(inGardens, own, names);
};

const checkAll = async (
  items: readonly RefusableItem[],
  own: ReadableTables,
  names: ServiceNames,
): Promise<undefined> => {
  const ids = distinct(items.map(gardenIdOf));
  const tenantIds = distinct(items.map(({ caller }) => caller.tenantId));
  const callers = distinct(items.map(({ caller }) => caller.entityUri));
  for (const tenantId of tenantIds) {
    const roles = await rolesOf(own, tenantId, ids, callers, names);
    const gardens = await gardensById(own, tenantId, ids);
    for (const item of items) {
      if (item.caller.tenantId !== tenantId) continue;
      const refusal = refusalOf(item, gardens.get(gardenIdOf(item)), roles(gardenIdOf(item), item.caller));
      if (refusal !== null) item.reject(refusal, 'place');
    }
  }
  return undefined;
};

const refusalOf = (
  { caller, fact, path }: AppendItem,
  garden: Garden | undefined,
  role: Role | undefined,
): ServiceError | null => {
  if (garden === undefined || role === undefined) return refuseGarden(caller);
  // A system fact is in the garden of the fact that it describes, and the plugin that accepts it has checked the right.
  if (fact.system) return null;
  if (garden.deletedMs !== null) return refuseGarden(caller);
  return refuseGardenWrite(entered(garden, role), fact.scope, caller, path);
};

const gardenIdOf = ({ fact }: AppendItem): string => fact.gardenId ?? '';

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];
