#include "spindrift/mesh/quality_text.hpp"

#include <gtest/gtest.h>

#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

using Lines = std::vector<std::string>;

TEST(QualityText, SaysWhatThereIsToSay) {
  const TetQuality quality = measure_quality(test::five_grid({4, 4, 4}, 0.5));
  const Lines expected = {
      "volume    8 m3; the input has 10 m3 (-20 %)",
      "dihedral  from 54.74 to 90 degrees",
      "least     54.74 degrees in tetrahedron 1 at (0.375, 0.125, 0.125)",
      "greatest  90 degrees in tetrahedron 1 at (0.375, 0.125, 0.125)",
      "   50 -  55  ########################################   40.0 %  768",
      "   55 -  60                                              0.0 %  0",
      "   60 -  65                                              0.0 %  0",
      "   65 -  70                                              0.0 %  0",
      "   70 -  75  ####################                       20.0 %  384",
      "   75 -  80                                              0.0 %  0",
      "   80 -  85                                              0.0 %  0",
      "   85 -  90                                              0.0 %  0",
      "   90 -  95  ########################################   40.0 %  768",
  };
  EXPECT_EQ(quality_lines(quality, 10), expected);
  EXPECT_EQ(quality_lines(quality).front(), "volume    8 m3");
}

TEST(QualityText, LittleShowsAndWrongIsSaid) {
  TetMesh mesh = test::five_grid({10, 10, 10});
  mesh.tets[0] = {0, 1, 11, 12};  // four corners of a square
  const Lines lines = quality_lines(measure_quality(mesh));
  ASSERT_EQ(lines.size(), 4u + 1 + kDihedralBins);
  EXPECT_EQ(lines[4],
            "wrong     1 tetrahedron flat, inside out or not finite; the least has 0 m3 in "
            "tetrahedron 0 at (0.5, 0.5, 0)");
  EXPECT_EQ(lines[5], "    0 -   5  #                                           0.0 %  4");
}

TEST(QualityText, AnEmptyMeshIsShort) {
  EXPECT_EQ(quality_lines({}), Lines{"volume    0 m3"});
  EXPECT_EQ(histogram_lines({}), Lines{});
}

}  // namespace
}  // namespace spindrift
