// What stands where there is no token, and no rank.
#pragma once
constexpr unsigned NOTHING = 0xffffffffu;
