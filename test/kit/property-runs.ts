/** How often a property is tried; the long run raises it. */
export const RUNS = Number(process.env['SVC_TEST_PROPERTY_RUNS'] ?? 100);
