#include <doctest/doctest.h>

#include <cstddef>
#include <hankelmatch/base/dense_products.hpp>
#include <random>
#include <vector>

using namespace hankelmatch;

namespace {

std::vector<double> random_values(std::size_t n, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> values(n);
  for (double& x : values) x = uniform(random);
  return values;
}

}  // namespace

TEST_CASE("products of rows and a matrix, and of its transpose") {
  std::mt19937 random(1);
  for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{21}}) {
    const auto matrix = random_values(n * n, random);
    for (std::size_t n_rows = 0; n_rows < 10; ++n_rows) {
      const auto in = random_values(n_rows * n, random);
      for (const bool transposed : {false, true}) {
        std::vector<double> out(n_rows * padded(n), 1.0);
        std::vector<const double*> in_rows;
        std::vector<double*> out_rows;
        for (std::size_t r = 0; r < n_rows; ++r) {
          in_rows.push_back(in.data() + r * n);
          out_rows.push_back(out.data() + r * padded(n));
        }
        add_products(in_rows, out_rows, PackedMatrix(matrix, n, n, transposed));
        for (std::size_t r = 0; r < n_rows; ++r) {
          for (std::size_t j = 0; j < padded(n); ++j) {
            double expected = 1.0;
            for (std::size_t k = 0; k < n && j < n; ++k)
              expected += in[r * n + k] * (transposed ? matrix[j * n + k] : matrix[k * n + j]);
            CHECK(out[r * padded(n) + j] == doctest::Approx(expected));
          }
        }
      }
    }
  }
}

TEST_CASE("sums of outer products") {
  std::mt19937 random(2);
  for (const std::size_t width : {std::size_t{8}, std::size_t{24}}) {
    for (std::size_t n = 0; n < 4; ++n) {
      const auto left = random_values(n * width, random);
      const auto right = random_values(n * width, random);
      std::vector<const double*> left_rows;
      std::vector<const double*> right_rows;
      for (std::size_t v = 0; v < n; ++v) {
        left_rows.push_back(left.data() + v * width);
        right_rows.push_back(right.data() + v * width);
      }
      std::vector<double> out(width * width, 0.5);
      add_outer_products(left_rows, right_rows, width, out.data());
      for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t j = 0; j < width; ++j) {
          double expected = 0.5;
          for (std::size_t v = 0; v < n; ++v) expected += left[v * width + i] * right[v * width + j];
          CHECK(out[i * width + j] == doctest::Approx(expected));
        }
      }
    }
  }
}
