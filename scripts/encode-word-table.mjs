/**
 * Little-endian: counts of names, dimensions and bytes of names; then the names, each ended by a line feed, padded to
 * four bytes. Then a float for each dimension and one for each name, by which its components are multiplied. Then a
 * byte for each name, 255 times its weight; then components, two in a byte, the first in the low four bits: indexes
 * into `LEVELS`.
 */
export const encodeWordTable = (entries) => {
  const dimensions = entries[0].vector.length;
  const names = Buffer.from(entries.map(({ name }) => `${name}\n`).join(''), 'ascii');
  const padding = Buffer.alloc((4 - (names.length % 4)) % 4, 10);
  const header = Buffer.alloc(12);
  [entries.length, dimensions, names.length + padding.length].forEach((value, at) => header.writeUInt32LE(value, at * 4));
  const deviations = Float32Array.from({ length: dimensions }, (_, n) =>
    Math.sqrt(entries.reduce((sum, { vector }) => sum + vector[n] ** 2, 0) / entries.length),
  );
  const scales = new Float32Array(entries.length);
  const codes = Buffer.alloc((entries.length * dimensions) / 2);
  entries.forEach(({ vector, weight }, at) => {
    const even = Array.from(vector, (component, n) => component / deviations[n]);
    const size = Math.sqrt(dot(even, even) / dimensions) || 1;
    const numbers = even.map((component) => nearestLevel(component / size));
    const said = numbers.map((number, n) => LEVELS[number] * deviations[n]);
    scales[at] = (weight * dot(said, vector)) / dot(said, said);
    numbers.forEach((number, n) => {
      codes[(at * dimensions + n) >> 1] |= n % 2 === 0 ? number : number << 4;
    });
  });
  const weights = Uint8Array.from(entries, ({ weight }) => Math.round(weight * 255));
  return Buffer.concat([header, names, padding, bytesOf(deviations), bytesOf(scales), weights, codes]);
};

/** The best sixteen levels for a normal distribution: Max, "Quantizing for Minimum Distortion", 1960. */
const POSITIVE = [0.1284, 0.3881, 0.6568, 0.9424, 1.2562, 1.6181, 2.069, 2.7326];
export const LEVELS = [...POSITIVE.map((level) => -level).reverse(), ...POSITIVE];

const nearestLevel = (value) =>
  LEVELS.reduce((best, level, at) => (Math.abs(level - value) < Math.abs(LEVELS[best] - value) ? at : best), 0);

const dot = (a, b) => a.reduce((sum, component, at) => sum + component * b[at], 0);

const bytesOf = (floats) => Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);
