import { matchKey, type Principal, ServiceError, type ServiceNames } from '../../kernel/plugin-api.ts';
import { INSTRUCTION_WRITE, INSTRUCTION_WRITE_REQUIRED } from '../facts/facts-api.ts';
import type { AgentRecord } from './manifest-store.ts';

/** The entity that an agent belongs to, before or after a publication. */
export type Claim = Pick<AgentRecord, 'owner' | 'isRightful'>;

/**
 * Returns the owner of the agent after this caller has published for it. The first publisher becomes the owner, and
 * must be the agent itself or hold `instruction:write` or `admin`. Later only the owner publishes; an administrator may
 * publish for any agent and owns nothing by it. A claim from before claims were checked stands until a caller publishes
 * who may claim the agent today, because an agent with a false owner could never be freed otherwise. Throws
 * `instruction_write_required` or `authorization`.
 */
export const claimBy = (
  known: AgentRecord | undefined,
  agentId: string,
  caller: Principal,
  names: ServiceNames,
): Claim => {
  const isRightful = mayClaim(agentId, caller, names);
  const { entityUri: owner } = caller;
  if (known === undefined) {
    if (isRightful) return { owner, isRightful };
    throw new ServiceError(
      INSTRUCTION_WRITE_REQUIRED,
      'only the agent itself, or a key with instruction:write or admin, may publish the first manifest of an agent',
    );
  }
  if (known.owner === owner) return { owner, isRightful: isRightful || known.isRightful };
  const isSettled = known.isRightful || isAgent(agentId, known.owner, names);
  if (!isSettled && isRightful) return { owner, isRightful };
  if (caller.permissions.has('admin')) return known;
  throw new ServiceError(
    'authorization',
    'the manifests of this agent belong to the entity that published the first one',
  );
};

const mayClaim = (agentId: string, { entityUri, permissions }: Principal, names: ServiceNames): boolean =>
  permissions.has(INSTRUCTION_WRITE.id) || permissions.has('admin') || isAgent(agentId, entityUri, names);

/** Two spellings with the same match key are one agent, and so are those of its entity. */
const isAgent = (agentId: string, entityUri: string, names: ServiceNames): boolean =>
  matchKey(`agent:${agentId}`, names) === matchKey(entityUri, names);
