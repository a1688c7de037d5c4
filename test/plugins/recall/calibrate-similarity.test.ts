import { expect } from 'chai';
import { calibrateSimilarities, searchFloor } from '../../../plugins/recall/calibrate-similarity.ts';

describe('calibrated similarities', () => {
  describe('of vectors that mean something', () => {
    const traits = { similarityFloor: 0.5 };

    it('are what is above the floor', () => {
      expect(searchFloor(traits)).to.equal(0.5);
      expect(calibrateSimilarities([1, 0.75, 0.5, 0.25], traits)).to.deep.equal([1, 0.5]);
      expect(calibrateSimilarities([], traits)).to.deep.equal([]);
      expect(calibrateSimilarities([0.4], traits)).to.deep.equal([]);
    });
  });

  describe('of vectors that compare spelling', () => {
    const traits = { similarityFloor: 0.2, comparesSpelling: true };

    it('are those of the few that stand out', () => {
      expect(calibrateSimilarities([0.8], traits)).to.deep.equal([0.8]);
      expect(calibrateSimilarities([0.8, 0.4, 0.35, 0.35], traits)).to.deep.equal([0.8]);
      expect(calibrateSimilarities([0.8, 0.7, 0.3, 0.2], traits)).to.deep.equal([0.8, 0.7]);
      expect(calibrateSimilarities([0.8, 0.7, 0.7, 0.31, 0.3], traits)).to.deep.equal([0.8, 0.7, 0.7]);
    });

    it('are none where many agree alike', () => {
      expect(calibrateSimilarities([0.8, 0.7, 0.7, 0.6, 0.6, 0.5], traits)).to.deep.equal([]);
    });

    it('are measured against what is below the floor too', () => {
      expect(searchFloor(traits)).to.be.closeTo(0.08, 1e-12);
      expect(calibrateSimilarities([0.21, 0.19, 0.18, 0.17, 0.16], traits)).to.deep.equal([]);
      expect(calibrateSimilarities([0.25, 0.19, 0.12], traits)).to.deep.equal([0.25]);
    });

    it('never reach below the floor', () => {
      expect(calibrateSimilarities([0.22, 0.19, 0.1], traits)).to.deep.equal([0.22]);
      expect(calibrateSimilarities([0.19], traits)).to.deep.equal([]);
    });
  });
});
