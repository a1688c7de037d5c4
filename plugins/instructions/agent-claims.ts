import { matchKey, type Principal, ServiceError, type ServiceNames } from '../../kernel/plugin-api.ts';
import { INSTRUCTION_WRITE, INSTRUCTION_WRITE_REQUIRED } from '../facts/facts-api.ts';
import type { AgentRecord } from './manifest-store.ts';

/**
 * Returns the owner of the agent after this caller has published for it. The first publisher becomes the owner, and
 * must be the agent itself or hold `instruction:write` or `admin`. Later only the owner may publish. An administrator
 * may publish for any agent without becoming its owner. Throws `instruction_write_required` or `authorization`.
 */
export const claimBy = (
  known: AgentRecord | undefined,
  agentId: string,
  caller: Principal,
  names: ServiceNames,
): string => {
  if (known === undefined) {
    if (mayClaim(agentId, caller, names)) return caller.entityUri;
    throw new ServiceError(
      INSTRUCTION_WRITE_REQUIRED,
      'only the agent itself, or a key with instruction:write or admin, may publish the first manifest of an agent',
    );
  }
  if (known.owner === caller.entityUri || caller.permissions.has('admin')) return known.owner;
  throw new ServiceError(
    'authorization',
    'the manifests of this agent belong to the entity that published the first one',
  );
};

/**
 * Returns true if the caller may become the owner. Spellings with equal match keys, and the entity of the agent, name
 * the same agent.
 */
const mayClaim = (agentId: string, { entityUri, permissions }: Principal, names: ServiceNames): boolean =>
  permissions.has(INSTRUCTION_WRITE.id) ||
  permissions.has('admin') ||
  matchKey(`agent:${agentId}`, names) === matchKey(entityUri, names);
