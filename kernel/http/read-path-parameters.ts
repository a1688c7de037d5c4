import { ServiceError, type Violation } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import { compileSchema } from '../schemas/schema-validator.ts';
import { decodePercent, UNDECODABLE } from './percent-decoding.ts';

/**
 * Reads the parameters of a path. Each is decoded once; broken encoding and a violation of the schema are a 400.
 * Without a schema the encoding is checked all the same, and the handler gets nothing.
 */
export const compilePathReader = <P>(
  schema: Schema<P> | undefined,
): ((raw: Readonly<Record<string, string>>) => P | undefined) => {
  // Allows parameters that the schema does not list, because the path names them.
  const check =
    schema === undefined ? undefined : compileSchema<P>({ json: { additionalProperties: true, ...schema.json } });
  return (raw) => {
    const decoded: Record<string, string> = {};
    const violations: Violation[] = [];
    for (const [name, text] of Object.entries(raw)) {
      const value = decodePercent(text);
      if (value === undefined) violations.push({ path: `path.${name}`, message: UNDECODABLE });
      else decoded[name] = value;
    }
    if (violations.length > 0) {
      throw new ServiceError('bad_parameter', `${violations[0]?.path} ${violations[0]?.message}`, { violations });
    }
    return check?.(decoded, 'path', 400);
  };
};
