import type { ApiDocument, ApiOperation } from './api-document.ts';

/** An operation with its method and path in the document. */
export interface PlacedOperation {
  /** The method in upper case. */
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

/** Returns the operations of a tag, in the order of the document. */
export const operationsOf = ({ paths }: Pick<ApiDocument, 'paths'>, tag: string): readonly PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
