import type { Ajv } from 'ajv';
import { createAjv } from './ajv-on-demand.ts';

let ajv: Ajv | undefined;

/**
 * Throws unless a schema fits the meta-schema. One instance of Ajv checks all schemas, because each instance compiles
 * the meta-schema again, which takes longer than the schemas of ten plugins.
 */
export const requireValidSchema = (json: object): void => {
  ajv ??= createAjv({ allErrors: true, logger: false, code: { optimize: false } });
  void ajv.validateSchema(json, true);
};

/** For the instances that compile schemas. */
export const UNCHECKED = { meta: false, validateSchema: false } as const;
