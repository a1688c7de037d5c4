/** The scopes of facts, from the narrowest to the widest. */
export const SCOPES = ['local', 'team', 'company', 'public'] as const;
export type Scope = (typeof SCOPES)[number];
