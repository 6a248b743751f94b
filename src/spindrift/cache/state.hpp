#pragma once
namespace spindrift { class StateWriter; class StateReader; }
