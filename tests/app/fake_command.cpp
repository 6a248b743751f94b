// The spindrift command with a simulation that takes no time.
#include "app/fake_simulation.hpp"

int main(int argc, char** argv) {
  return spindrift::app::run(argc, argv,
                             [](const spindrift::Scene& scene, const spindrift::SceneShapes&) {
                               return std::make_unique<spindrift::test::FakeSimulation>(scene);
                             });
}
