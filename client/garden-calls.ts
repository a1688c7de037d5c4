import type { Garden, GardenMember } from './api-types.ts';
import type { BodyOf, Caller, CallOptions } from './call-types.ts';

type Role = GardenMember['role'];

/** Gardens: parts of a scope that only their members see. A garden is named by its URI, id or slug. */
export interface GardenCalls {
  list(options?: CallOptions): Promise<Garden[]>;
  create(garden: BodyOf<'POST /v1/gardens'>, options?: CallOptions): Promise<Garden>;
  get(garden: string, options?: CallOptions): Promise<Garden>;
  /** The facts of the garden stay, but only administrators see them. */
  remove(garden: string, options?: CallOptions): Promise<void>;
  members(garden: string, options?: CallOptions): Promise<GardenMember[]>;
  addMember(garden: string, entityUri: string, role?: Role, options?: CallOptions): Promise<GardenMember>;
  setRole(garden: string, entityUri: string, role: Role, options?: CallOptions): Promise<GardenMember>;
  removeMember(garden: string, entityUri: string, options?: CallOptions): Promise<void>;
}

export const gardenCalls = ({ call }: Caller): GardenCalls => ({
  list: (options) => call('GET /v1/gardens', options),
  create: (body, options) => call('POST /v1/gardens', { ...options, body }),
  get: (garden, options) => call('GET /v1/gardens/{garden}', { ...options, params: { garden } }),
  remove: (garden, options) => call('DELETE /v1/gardens/{garden}', { ...options, params: { garden } }),
  members: (garden, options) => call('GET /v1/gardens/{garden}/members', { ...options, params: { garden } }),
  addMember: (garden, entityUri, role = 'reader', options = {}) =>
    call('POST /v1/gardens/{garden}/members', {
      ...options,
      params: { garden },
      body: { entity_uri: entityUri, role },
    }),
  setRole: (garden, entityUri, role, options) =>
    call('PATCH /v1/gardens/{garden}/members/{entity_uri}', {
      ...options,
      params: { garden, entity_uri: entityUri },
      body: { role },
    }),
  removeMember: (garden, entityUri, options) =>
    call('DELETE /v1/gardens/{garden}/members/{entity_uri}', {
      ...options,
      params: { garden, entity_uri: entityUri },
    }),
});
