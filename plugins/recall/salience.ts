import { type FactView, markOf } from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import { SOURCE_TRUST, trustFactor } from '../source-trust/source-trust-api.ts';
import type { FactSignals, Salience } from './recall-api.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DECAY_PER_DAY = 0.01;
const CONTRADICTED = 0.7;
const LEAST_TIER = 0.05;

export const salienceOf = (view: FactView, signals: FactSignals, nowMs: number): Salience => ({
  recency: recencyOf(nowMs - view.fact.timestampMs),
  confidence: view.fact.confidence,
  access: bounded(signals.access, 0, 1),
  contradiction: isContradicted(view) ? CONTRADICTED : 1,
  gardenTier: bounded(signals.gardenTier, LEAST_TIER, 1),
  sourceTrust: trustFactor(markOf(view, SOURCE_TRUST)),
});

/** Returns the recency, above 0 for any age, because the exponential of two hundred years would round to 0. */
const recencyOf = (ageMs: number): number =>
  Math.max(LEAST_RECENCY, Math.exp((-DECAY_PER_DAY * Math.max(0, ageMs)) / DAY_MS));

const LEAST_RECENCY = 1e-300;

/**
 * `weight` limits how far each of the three weak signals can raise or lower a score. So no signal can zero or dominate
 * a hit.
 */
export const weigh = (fused: number, salience: Salience, weight: number): number => {
  const sway = (signal: number): number => 1 + weight * (2 * signal - 1);
  const { recency, confidence, access, contradiction, gardenTier, sourceTrust } = salience;
  return fused * sway(recency) * sway(confidence) * sway(access) * contradiction * gardenTier * sourceTrust;
};

/** Returns 0 to 1; 0 if nothing was ever recalled. */
export const accessSignal = (count: number, maximum: number): number =>
  maximum <= 0 ? 0 : Math.log1p(Math.min(count, maximum)) / Math.log1p(maximum);

const bounded = (value: number, least: number, most: number): number =>
  Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : most;
