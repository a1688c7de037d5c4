/** Characters that nobody sees, and that make text read in another order than it is stored in. */
export const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;

export const hasTurningMarks = (text: string): boolean => text.search(TURNING) >= 0;
