/** The number of runs per property; the long run raises it. */
export const RUNS = Number(process.env['SVC_TEST_PROPERTY_RUNS'] ?? 30);
