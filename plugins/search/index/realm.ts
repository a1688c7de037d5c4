import { SCOPES, type Scope } from '../../../kernel/thread-api.ts';

/** Tenant and scope in one number: what a triple belongs to besides its entity and relation. */
export const realmOf = (tenant: number, scope: Scope): number => tenant * SCOPES.length + SCOPES.indexOf(scope);

export const tenantOfRealm = (realm: number): number => Math.floor(realm / SCOPES.length);
