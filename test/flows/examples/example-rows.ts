import type { ExampleRow } from './example-row.ts';
import { FACT_EXAMPLE_ROWS } from './fact-example-rows.ts';
import { SERVICE_EXAMPLE_ROWS } from './service-example-rows.ts';
import { SHARED_EXAMPLE_ROWS } from './shared-example-rows.ts';

/** For every route of the bundled plugins, how its example is sent. */
export const EXAMPLE_ROWS: readonly ExampleRow[] = [
  ...FACT_EXAMPLE_ROWS,
  ...SHARED_EXAMPLE_ROWS,
  ...SERVICE_EXAMPLE_ROWS,
];
