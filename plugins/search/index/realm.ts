import { SCOPES, type Scope } from '../../../kernel/thread-api.ts';

/** Combines tenant and scope into one number. With entity and relation it identifies a triple. */
export const realmOf = (tenant: number, scope: Scope): number => tenant * SCOPES.length + SCOPES.indexOf(scope);

export const tenantOfRealm = (realm: number): number => Math.floor(realm / SCOPES.length);
