import { type Schema, schema } from '../../ports/schema.ts';
import type { JsonSchema } from './answer-schemas.ts';

/** The schemas of the members of `T`, whose names the compiler checks. */
type MembersOf<T> = { readonly [Name in keyof T]: JsonSchema };

/** Returns the schema of an object that may have these members, and no others. */
export const objectSchema = <T>(properties: MembersOf<T>): Schema<T> => schema({ type: 'object', properties });

/** Returns the schema of an object that may have these members, and no others, and must have the required ones. */
export const objectRequiring = <T>(required: readonly (keyof T & string)[], properties: MembersOf<T>): Schema<T> =>
  schema({ type: 'object', properties, required });
