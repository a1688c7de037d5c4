/** The members of a query for a page of a list. */
export interface PageQuery {
  readonly cursor?: string;
  readonly limit: number;
}

/** Describes the members of `PageQuery`. */
export const pageMembers = (defaultLimit: number, mostLimit: number) => ({
  cursor: { type: 'string' },
  limit: { type: 'integer', minimum: 1, maximum: mostLimit, default: defaultLimit },
});
