/**
 * True when a double represents the JSON number faithfully. A whole number must be exact, or the shortest form of the
 * double nearest to it, as JSON writers print large doubles (`123456789012345680000`, `1e23`). Those forms must pass,
 * because nodes emit them. Fractions may be rounded, and tiny fractions may become 0, as always with doubles.
 */
export const isFaithfulNumber = (literal: string): boolean => {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  // Numbers of up to fifteen digits are always exact. A sixteenth character can only be a sign or a point.
  if (literal.length <= SAFE_LENGTH) return true;
  const meant = decimalOf(literal);
  if (meant.exponent < 0 || meant.digits === '') return true;
  const held = decimalOf(String(value));
  if (held.digits === meant.digits && held.exponent === meant.exponent) return true;
  return BigInt(meant.digits) * 10n ** BigInt(meant.exponent) === BigInt(Math.abs(value));
};

const SAFE_LENGTH = 15;

/**
 * A decimal number: `digits` times ten to the `exponent`, without zeros at either end and without a sign; no digits for
 * zero.
 */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

const decimalOf = (literal: string): Decimal => {
  const parts = NUMBER.exec(literal);
  const whole = parts?.[1] ?? '';
  const fraction = parts?.[2] ?? '';
  const all = whole + fraction;
  // Uses loops, because a pattern for trailing zeros takes quadratic time on many zeros.
  let start = 0;
  let end = all.length;
  while (start < end && all.charCodeAt(start) === ZERO) start += 1;
  while (end > start && all.charCodeAt(end - 1) === ZERO) end -= 1;
  return { digits: all.slice(start, end), exponent: Number(parts?.[3] ?? 0) - fraction.length + all.length - end };
};

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const ZERO = 48;
