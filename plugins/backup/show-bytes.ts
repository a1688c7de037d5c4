const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
const STEP = 1_000;

/** A size for people: `1.3 GB`. */
export const showBytes = (bytes: number): string => {
  let at = 0;
  let size = bytes;
  while (size >= STEP && at < UNITS.length - 1) {
    size /= STEP;
    at += 1;
  }
  return `${at === 0 ? size : size.toFixed(1)} ${UNITS[at]}`;
};
